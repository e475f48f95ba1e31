/**
 * Programming languages by what their sources say. A sign counts once, whatever number of times it
 * occurs; a language needs `enough` points and more than any other.
 */
interface Language {
  mime: string;
  signs: [points: number, sign: RegExp][];
}

const enough = 4;

/** Something, and anywhere behind the first of it something else; each is looked for once only. */
const followed = (first: RegExp, later: RegExp) =>
  new RegExp(String.raw`(?<![\s\S])(?=([\s\S]*?${first.source}))\1[\s\S]*?${later.source}`, 'm');

const languages: Language[] = [
  {
    mime: 'text/x-rust',
    signs: [
      [
        4,
        /^\s*(?:pub(?:\([\w:]+\))?\s+)?(?:unsafe\s+|async\s+|const\s+|extern\s+"\w+"\s+)*fn\s+\w+\s*(?:<[^>]*>)?\s*\([^)]{0,400}\)[^{;]*[{;]/m,
      ],
      [2, /\blet\s+mut\s+\w+/],
      [2, /^\s*use\s+(?:std|crate|self|super|core|alloc)::/m],
      [2, /^\s*#!?\[(?:derive|cfg|allow|test|no_std|no_mangle|inline|feature)\b/m],
      [2, /\b(?:println|panic|assert|assert_eq|vec|format|asm|write)!\s*[([{]/],
      [2, /^\s*impl\b[^{;]*\{/m],
      [1, /->\s*(?:Self|Result<|Option<|&|i32|u\d+|bool|String)/],
      [1, /&(?:mut\s+\w|'\w+\s|str\b)/],
    ],
  },
  {
    mime: 'text/x-go',
    signs: [
      [4, /^package\s+\w+\s*(?:\/\/.*)?$/m],
      [2, /^import\s+(?:\(|"[\w./-]+"|\w+\s+")/m],
      [2, /^func\s+(?:\(\w*\s*\*?\w+(?:\[[^\]]*\])?\)\s*)?\w+(?:\[[^\]]*\])?\(/m],
      [1, /:=/],
      [1, /^type\s+\w+\s+(?:struct|interface)\s*\{/m],
    ],
  },
  {
    mime: 'text/x-java',
    signs: [
      [3, /^\s*import\s+(?:static\s+)?(?:java|javax|org|com|android)\.[\w.*]+;/m],
      [2, /^\s*package\s+[\w.]+;/m],
      [3, /\bpublic\s+static\s+void\s+main\s*\(\s*(?:final\s+)?String/],
      [
        2,
        /^\s*(?:public|private|protected)\s+(?:(?:static|final|abstract|sealed|synchronized)\s+)*(?:class|interface|enum|record|@interface)\s+\w+/m,
      ],
      [
        2,
        /^\s*(?:public|private|protected)\s+(?:(?:static|final|abstract|synchronized)\s+)*[\w<>[\],.? ]+\s+\w+\s*\([^)]{0,400}\)\s*(?:throws\s+[\w., ]+)?\s*\{/m,
      ],
      [2, /\bSystem\.(?:out|err)\.print/],
      [1, /^\s*@(?:Override|Test|Nullable|Autowired|Deprecated|SuppressWarnings)\b/m],
    ],
  },
  {
    mime: 'text/x-csharp',
    signs: [
      [
        4,
        /^\s*using\s+(?:static\s+)?(?:System|Microsoft|UnityEngine|Newtonsoft|Xunit)(?:\.[\w.]+)?;/m,
      ],
      [2, /^\s*using\s+[A-Z][\w.]*;/m],
      [3, /^\s*namespace\s+[\w.]+\s*[;{]?\s*$/m],
      [2, /\{\s*get;\s*(?:(?:private|protected|internal)\s+)?(?:set;|init;)?\s*\}/],
      [2, /\bConsole\.(?:Write|Read)/],
      [
        1,
        /^\s*(?:public|private|internal|protected)\s+(?:(?:static|sealed|async|override|virtual|readonly|partial|abstract)\s+)*[\w<>[\]?,. ]+\s+\w+/m,
      ],
      [1, /\b(?:string|var|int)\s+\w+\s*=\s*/],
    ],
  },
  {
    mime: 'text/x-swift',
    signs: [
      [3, /^\s*import\s+(?:Foundation|UIKit|SwiftUI|Combine|XCTest|Darwin|Cocoa|AppKit)\b/m],
      [
        3,
        /\bfunc\s+\w+\s*(?:<[^>]*>)?\([^)]{0,400}\)\s*(?:async\s+)?(?:throws\s+)?(?:->\s*[\w[\]?:<>, ().]+)?\s*(?:where[^{]*)?\{/,
      ],
      [2, /\b(?:guard|if)\s+let\s+\w+/],
      [
        2,
        /^\s*(?:(?:public|private|internal|open|fileprivate|final)\s+)*(?:struct|class|enum|protocol|extension)\s+\w+(?:\s*:\s*[\w, ]+)?\s*\{/m,
      ],
      [
        2,
        /^\s*(?:@\w+\s+)*(?:(?:private|public|static|lazy|weak)\s+)*(?:let|var)\s+\w+\s*:\s*\[?[A-Z]\w*/m,
      ],
      [1, /^\s*(?:let|var)\s+\w+\s*=\s*[^;\n]*$/m],
      [1, /\bprint\("[^"\n]*\\\(/],
    ],
  },
  {
    mime: 'text/x-kotlin',
    signs: [
      [
        4,
        /^\s*(?:(?:override|private|public|internal|suspend|inline|operator|open|protected|abstract)\s+)*fun\s+(?:<[^>]*>\s*)?(?:[\w<>?]+\.)?\w+\s*\([^)]{0,400}\)\s*(?::\s*[\w<>?., ]+)?\s*[={]/m,
      ],
      [2, /^\s*(?:data|sealed|enum|open|abstract|annotation)\s+class\s+\w+/m],
      [
        2,
        /^\s*(?:(?:private|override|const|lateinit)\s+)*(?:val|var)\s+\w+\s*(?::\s*[\w<>?., ]+)?\s*(?:=|by\b)[^;\n]*$/m,
      ],
      [2, /^import\s+(?:kotlin|kotlinx|androidx|java)\.[\w.*]+\s*$/m],
      [1, /\bprintln\(/],
      [1, /\bwhen\s*\(.*\)\s*\{/],
    ],
  },
  {
    mime: 'text/x-scala',
    signs: [
      [
        3,
        /^\s*(?:(?:override|private|protected|implicit|final)\s+)*def\s+\w+(?:\[[^\]]*\])?\s*(?:\([^)]{0,400}\))*\s*(?::\s*[\w[\], .]+)?\s*=/m,
      ],
      [3, /^\s*(?:case\s+)?object\s+\w+(?:\s+extends\s+[\w.[\]]+)?\s*(?:\{|:)?\s*$/m],
      [2, /^\s*(?:sealed\s+|abstract\s+|final\s+)*(?:case\s+class|trait)\s+\w+/m],
      [2, /^\s*import\s+(?:scala|akka|cats|zio|play)\.[\w.{}_, ]+/m],
      [1, /^\s*(?:lazy\s+)?val\s+\w+/m],
    ],
  },
  {
    mime: 'text/x-typescript',
    signs: [
      [
        3,
        /^\s*(?:export\s+)?(?:declare\s+)?interface\s+\w+(?:<[^>{]*>)?(?:\s+extends\s+[\w<>, ]+)?\s*\{/m,
      ],
      [3, /^\s*(?:export\s+)?(?:declare\s+)?type\s+\w+(?:<[^>=]*>)?\s*=/m],
      [2, /^\s*import\s+type\b/m],
      [2, /^\s*(?:export\s+)?(?:declare\s+)?(?:const\s+)?enum\s+\w+\s*\{/m],
      [3, /\b(?:const|let|var)\s+\w+:\s+[\w<>[\]|{}., ]+=/],
      [
        3,
        /[(,]\s*\w+\??\s*:\s*(?:string|number|boolean|any|unknown|void|never|[A-Z]\w*(?:<[^>]*>)?)(?:\[\])*\s*[,)=|]/,
      ],
      [
        2,
        /\)\s*:\s*(?:string|number|boolean|void|any|Promise<[^>]*>|[A-Z]\w*)(?:\[\])?\s*(?:=>|\{)/,
      ],
      [
        2,
        /^\s*(?:public|private|protected|readonly)\s+(?:static\s+|readonly\s+|async\s+)*\w+\s*[(:?]/m,
      ],
      [1, /\bas\s+(?:const|string|unknown|any|[A-Z]\w*)\b/],
      [1, /^\s*(?:import|export)\b.*\bfrom\s+['"]/m],
    ],
  },
  {
    mime: 'text/javascript',
    signs: [
      [3, /^\s*(?:const|let|var)\s+[\w${},\s]+=\s*(?:await\s+)?require\(['"]/m],
      [3, /^\s*import\s+(?:[\w*{}\s,$]+\s+from\s+)?['"][^'"\n]+['"];?\s*$/m],
      [3, /^\s*export\s+(?:default\b|(?:async\s+)?function\b|const\b|class\b|\{)/m],
      [3, /^\s*(?:module\.)?exports(?:\.\w+)?\s*=/m],
      [3, /^\s*(?:async\s+)?function\s*\*?\s*[\w$]*\s*\([\w$,\s={}[\].]*\)\s*\{/m],
      [2, /\b(?:const|let|var)\s+[\w$]+\s*=\s*(?:async\s*)?(?:\([^()]*\)|[\w$]+)\s*=>/],
      [2, /\bconsole\.(?:log|error|warn)\(/],
      [2, /\b(?:document|window)\.\w+/],
      [2, /\(function\s*\(|\bfunction\s*\([\w$,\s]*\)\s*\{/],
      [2, /^\s*["']use strict["'];?\s*$/m],
      [1, /\b(?:const|let|var)\s+[\w$]+\s*=[^=]/],
      [1, /===|!==/],
      [1, /\bthis\.\w+\s*=/],
    ],
  },
  {
    mime: 'text/x-php',
    signs: [
      [6, /<\?php\b/],
      [1, /\$\w+\s*->\s*\w+/],
    ],
  },
  {
    mime: 'text/x-ruby',
    signs: [
      [3, followed(/^\s*def\s+(?:self\.)?\w+[?!=]?(?:\s*\(.*\))?\s*$/m, /^\s*end\s*$/m)],
      [2, /^\s*require(?:_relative)?\s+['"][\w/.-]+['"]\s*$/m],
      [2, /^\s*(?:class|module)\s+[A-Z][\w:]*(?:\s*<\s*[A-Z][\w:]*)?\s*$/m],
      [2, /\bdo\s*\|[\w, ]+\|/],
      [1, /^\s*attr_(?:reader|writer|accessor)\s+:/m],
      [1, /\bputs\s+/],
      [1, /^\s*end\s*$/m],
    ],
  },
  {
    mime: 'text/x-lua',
    signs: [
      [3, /^\s*(?:local\s+)?function\s+[\w.:]+\s*\([^)]{0,400}\)\s*$/m],
      [2, /^\s*local\s+\w+(?:\s*,\s*\w+)*\s*=/m],
      [2, /\blocal\s+\w+\s*=\s*require\s*\(?\s*['"]/],
      [2, followed(/\bthen\s*$/m, /^\s*end\b/m)],
      [1, /~=|\.\.\s*['"\w]/],
      [1, /^\s*--(?:\[\[)?/m],
    ],
  },
  {
    mime: 'text/x-dart',
    signs: [
      [4, /^\s*import\s+['"](?:dart|package):[\w/.-]+['"]/m],
      [2, /\bWidget\s+build\s*\(\s*BuildContext\b/],
      [2, /^\s*(?:void|Future<[^>]*>)\s+main\s*\([^)]{0,400}\)\s*(?:async\s*)?(?:\{|=>)/m],
      [1, /^\s*(?:final|late)\s+\w+/m],
      [1, /\bprint\('/],
    ],
  },
  {
    mime: 'text/x-haskell',
    signs: [
      [3, /^module\s+[A-Z][\w.]*(?:\s*\([\s\S]{0,2000}?\))?\s+where\s*$/m],
      [2, /^import\s+(?:qualified\s+)?[A-Z][\w.]*(?:\s+(?:as|hiding)\b.*|\s*\(.*\))?\s*$/m],
      [3, /^\w+'*\s*::\s*.*->/m],
      [1, /^\{-#\s*LANGUAGE\b/m],
      [1, /^main\s*::\s*IO/m],
      [1, /^\s*(?:where|data\s+[A-Z]\w*.*=|instance\s+[A-Z])/m],
    ],
  },
  {
    mime: 'text/x-elixir',
    signs: [
      [4, /^\s*defmodule\s+[A-Z][\w.]*\s+do\s*$/m],
      [2, /^\s*defp?\s+\w+[?!]?(?:\(.*\))?\s+do\s*$/m],
      [1, /\|>/],
    ],
  },
  {
    mime: 'text/x-julia',
    signs: [
      [2, /^\s*using\s+[A-Z]\w*(?:\s*[:,]\s*\w+)*\s*$/m],
      [
        3,
        followed(/^\s*(?:mutable\s+)?struct\s+\w+(?:\{[^}]*\})?(?:\s*<:\s*\w+)?\s*$/m, /^end\s*$/m),
      ],
      [3, /^\s*function\s+\w+!?\([^)]*::[^)]*\)/m],
      [2, followed(/^\s*function\s+\w+!?\(.*\)\s*$/m, /^\s*end\s*$/m)],
    ],
  },
  {
    mime: 'text/x-r',
    signs: [
      [4, /^\s*[\w.]+\s*<-\s*function\s*\(/m],
      [3, /^\s*library\(["']?\w+["']?\)\s*$/m],
      [2, /^\s*[\w.$]+\s*<-\s*\S/m],
      [1, /%>%|\|>/],
      [1, /\bdata\.frame\(|\bc\(/],
    ],
  },
  {
    mime: 'text/x-powershell',
    signs: [
      [4, /^\s*(?:\[CmdletBinding\(|param\s*\(\s*$|param\s*\(\[)/im],
      [3, /\b(?:Get|Set|New|Write|Remove|Import|Invoke)-[A-Z]\w+\b/],
      [2, /\$(?:_|PSScriptRoot|env:\w+)\b/],
      [2, /\s-(?:eq|ne|gt|lt|like|match)\s/],
      [1, /^\s*function\s+[A-Z]\w*-[A-Z]\w*/m],
      [1, /^\s*\$\w+\s*=/m],
    ],
  },
  {
    mime: 'text/x-objective-c',
    signs: [
      [4, /^\s*@(?:interface|implementation|protocol)\s+\w+/m],
      [2, /^\s*#import\s+[<"]/m],
      [2, /\[\w+\s+\w+(?::|\])/],
      [1, /@"/],
    ],
  },
  {
    mime: 'text/x-zig',
    signs: [
      [4, /@import\("[\w./]+"\)/],
      [2, /\bpub\s+fn\s+\w+\s*\(/],
      [1, /\b(?:const|var)\s+\w+\s*(?::\s*[\w[\]*]+)?\s*=/],
    ],
  },
  {
    mime: 'application/sql',
    signs: [
      [
        4,
        /^\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMP(?:ORARY)?\s+|UNIQUE\s+)?(?:TABLE|VIEW|INDEX|FUNCTION|TRIGGER|DATABASE|SCHEMA)\s+(?:IF\s+NOT\s+EXISTS\s+)?[\w."`]+/im,
      ],
      [4, /^\s*INSERT\s+INTO\s+[\w."`]+\s*(?:\([^)]{0,400}\)\s*)?(?:VALUES\b|SELECT\b)/im],
      // The first FROM counts, once for all: each SELECT would try each FROM behind it.
      [4, /^\s*SELECT\b(?=([\s\S]{1,2000}?\bFROM\s+[\w."`(]))\1[^;]{0,2000};/im],
      [
        3,
        /^\s*(?:UPDATE\s+[\w."`]+\s+SET\b|DELETE\s+FROM\s+[\w."`]+|ALTER\s+TABLE\s+|DROP\s+TABLE\s+)/im,
      ],
    ],
  },
  {
    mime: 'text/x-script.python',
    signs: [
      [3, /^\s*(?:async\s+)?def\s+\w+\s*\([^)]{0,400}\)\s*(?:->\s*[^:]{1,400})?:\s*(?:#.*)?$/m],
      [3, /^\s*class\s+\w+\s*(?:\([\w.,= ]*\))?:\s*(?:#.*)?$/m],
      [3, /^from\s+[\w.]+\s+import\s+[\w(*]/m],
      [2, /^import\s+[\w.]+(?:\s+as\s+\w+)?(?:,\s*[\w.]+)*\s*$/m],
      [2, /^\s*(?:elif|except|with|try|finally)\b.*:\s*$/m],
      [2, /^\s*(?:if|for|while)\s[^{}]*:\s*(?:#.*)?$/m],
      [2, /^if\s+__name__\s*==/m],
      [1, /\bself\.\w+|\bprint\(|\bNone\b/],
    ],
  },
  {
    mime: 'text/x-perl',
    signs: [
      [3, /^\s*use\s+(?:strict|warnings|vars|utf8|v?5[\d._]*)\b.*;/m],
      [3, /^package\s+[A-Z]\w*(?:::\w+)*\s*;/m],
      [2, /^\s*(?:my|our|local)\s+[$@%(]\w*/m],
      [2, /^\s*sub\s+\w+\s*(?:\([^)]{0,400}\)\s*)?\{/m],
      [2, /^=(?:head[1-4]|over|item|cut|pod|encoding)\b/m],
      [2, /[$@%]\w+\s*=~\s|\bshift\s*;|\$_\b|@_\b/],
      [1, /^\s*1;\s*$/m],
    ],
  },
  {
    mime: 'text/x-c++',
    signs: [
      [
        3,
        /^\s*#\s*include\s*<(?:iostream|vector|string|map|memory|algorithm|cstd\w+|c\w+|functional|utility|thread)>/m,
      ],
      [3, /\bstd::\w+/],
      [2, /^\s*using\s+namespace\s+\w+;/m],
      [2, /^\s*template\s*<(?:typename|class|int|size_t)\b/m],
      [
        2,
        followed(
          /^\s*(?:class|struct)\s+\w+(?:\s*:\s*(?:public|private|protected)\s+[\w:]+)?\s*\{/m,
          /^\s*(?:public|private|protected)\s*:/m,
        ),
      ],
      [2, /^\s*namespace\s+[\w:]*\s*\{/m],
      [1, /\b(?:nullptr|constexpr|virtual|override)\b/],
    ],
  },
  {
    mime: 'text/x-c',
    signs: [
      [4, /^\s*#\s*include\s*[<"][\w./+-]+\.h[>"]/m],
      [2, /^\s*#\s*(?:define\s+\w+|ifndef\s+\w+|ifdef\s+\w+|pragma\s+once)/m],
      [
        2,
        /^\s*(?:static\s+|extern\s+|const\s+|unsigned\s+)*(?:int|void|char|long|size_t|double|float|u?int\d+_t)\s+\**\w+\s*\([^)]{0,400}\)\s*[{;]/m,
      ],
      [2, /^\s*typedef\s+(?:struct|enum|union|unsigned|int)\b/m],
      [2, /\bint\s+main\s*\(/],
      [1, /\b(?:printf|malloc|sizeof|memcpy|NULL)\b/],
    ],
  },
  {
    mime: 'text/x-asm',
    signs: [
      [3, /^\s*(?:section|segment)\s+\.(?:text|data|bss|rodata)\b/im],
      [3, /^\s*\.(?:text|data|globl|global|section|intel_syntax|cpu|align|model)\b/m],
      [2, /^\s*(?:global|extern)\s+_?\w+\s*$/m],
      [
        3,
        /^\s*(?:mov[lqbw]?|push|pop|lea|xor|add|sub|cmp|jmp|jn?[ez]|call|int|ret|syscall)\s+(?:[%$]?[er]?[a-ds][xhlip]\b|[%$\w[\]().-]+\s*,\s*[%$\w[\]().-]+)/im,
      ],
      [1, /^\s*[\w.$@]+:\s*(?:[;#].*)?$/m],
    ],
  },
  {
    mime: 'text/x-msdos-batch',
    signs: [
      [5, /^\s*@echo\s+(?:off|on)\b/im],
      [2, /^\s*rem\s/im],
      [
        2,
        /^\s*(?:set\s+(?:\/[ap]\s+)?\w+=|if\s+(?:not\s+)?(?:exist|errorlevel)\b|goto\s+:?\w+|setlocal\b)/im,
      ],
      [1, /%\w+%|%~\w/],
    ],
  },
  {
    mime: 'text/x-smali',
    signs: [
      [5, /^\.class\s+.*L[\w/$]+;\s*$/m],
      [2, /^\.super\s+L[\w/$]+;/m],
      [1, /^\s*\.method\b/m],
    ],
  },
  {
    mime: 'text/x-yara',
    signs: [
      [3, /^\s*(?:private\s+|global\s+)*rule\s+\w+(?:\s*:\s*[\w ]+)?\s*\{?\s*$/m],
      [2, /^\s*condition\s*:/m],
      [1, /^\s*strings\s*:/m],
    ],
  },
  {
    mime: 'text/x-tex',
    signs: [
      [5, /^\s*\\documentclass\b/m],
      [2, /\\begin\{(?:document|equation|figure|itemize|abstract)\}/],
      [2, /\\(?:section|chapter|usepackage)\b/],
    ],
  },
];

/** Languages in which no line begins with a number sign and a space: elsewhere such a line is a comment. */
const withoutHashComments = new Set([
  'text/javascript',
  'text/x-csharp',
  'text/x-dart',
  'text/x-go',
  'text/x-java',
  'text/x-kotlin',
  'text/x-rust',
  'text/x-scala',
  'text/x-swift',
  'text/x-typescript',
]);

/** Returns the language with most signs in a source; undefined if there are too few of any. */
export function languageOf(text: string): string | undefined {
  // Runs of empty lines become one, because the signs take quadratic time in them.
  const uncommented = text.replace(/^#(?:[ \t#].*)?$/gm, '').replace(/\n{3,}/g, '\n\n');
  let best = { mime: undefined as string | undefined, points: enough - 1 };
  for (const { mime, signs } of languages) {
    const source = withoutHashComments.has(mime) ? uncommented : text;
    const points = signs.reduce((sum, [value, sign]) => sum + (sign.test(source) ? value : 0), 0);
    if (points > best.points) best = { mime, points };
  }
  return best.mime;
}
