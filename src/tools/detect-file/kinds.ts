import mime from 'mime';

/** What is said of a type: its usual extension, and its name as file(1) would put it. */
export interface Kind {
  extension: string;
  label: string;
}

/** Types by MIME type, where the `mime` package has no extension or the name needs words. */
const known: Record<string, [extension: string, label: string]> = {
  'application/gzip': ['gz', 'gzip compressed data'],
  'application/java-archive': ['jar', 'Java archive data (JAR)'],
  'application/javascript': ['js', 'JavaScript source'],
  'application/json': ['json', 'JSON text data'],
  'application/msword': ['doc', 'Microsoft Word document'],
  'application/octet-stream': ['bin', 'data'],
  'application/pdf': ['pdf', 'PDF document'],
  'application/pgp-encrypted': ['asc', 'PGP message'],
  'application/pgp-keys': ['asc', 'PGP public key block'],
  'application/pgp-signature': ['sig', 'PGP signature'],
  'application/postscript': ['ps', 'PostScript document'],
  'application/sql': ['sql', 'SQL script'],
  'application/toml': ['toml', 'TOML document'],
  'application/vnd.android.package-archive': ['apk', 'Android package (APK)'],
  'application/vnd.ms-outlook': ['msg', 'Microsoft Outlook message'],
  'application/vnd.rar': ['rar', 'RAR archive data'],
  'application/vnd.sqlite3': ['sqlite', 'SQLite 3.x database'],
  'application/wasm': ['wasm', 'WebAssembly binary module'],
  'application/x-7z-compressed': ['7z', '7-zip archive data'],
  'application/x-archive': ['a', 'ar archive'],
  'application/x-bytecode.python': ['pyc', 'Byte-compiled Python module'],
  'application/x-bzip2': ['bz2', 'bzip2 compressed data'],
  'application/x-compress': ['Z', 'compress’d data'],
  'application/x-coredump': ['core', 'core dump'],
  'application/x-dosexec': ['exe', 'PE executable for MS Windows'],
  'application/x-elf': ['elf', 'ELF file'],
  'application/x-executable': ['elf', 'ELF executable'],
  'application/x-gettext-translation': ['mo', 'GNU message catalog'],
  'application/x-java-applet': ['class', 'compiled Java class data'],
  'application/x-mach-binary': ['macho', 'Mach-O binary'],
  'application/x-ndjson': ['ndjson', 'New Line Delimited JSON text data'],
  'application/x-object': ['o', 'ELF relocatable'],
  'application/x-pem-file': ['pem', 'PEM encoded data'],
  'application/x-pie-executable': ['elf', 'ELF position-independent executable'],
  'application/x-rpm': ['rpm', 'RPM package'],
  'application/x-sharedlib': ['so', 'ELF shared object'],
  'application/x-subrip': ['srt', 'SubRip subtitles'],
  'application/x-tar': ['tar', 'tar archive'],
  'application/x-terminfo': ['', 'Compiled terminfo entry'],
  'application/x-terminfo2': ['', 'Compiled 32-bit terminfo entry'],
  'application/x-xz': ['xz', 'XZ compressed data'],
  'application/yaml': ['yaml', 'YAML document'],
  'application/zip': ['zip', 'Zip archive data'],
  'application/zlib': ['zz', 'zlib compressed data'],
  'application/zstd': ['zst', 'Zstandard compressed data'],
  'audio/flac': ['flac', 'FLAC audio bitstream data'],
  'audio/midi': ['mid', 'Standard MIDI data'],
  'audio/mpeg': ['mp3', 'MPEG ADTS audio'],
  'audio/ogg': ['ogg', 'Ogg audio'],
  'audio/x-wav': ['wav', 'RIFF WAVE audio'],
  'font/sfnt': ['ttf', 'TrueType font data'],
  'image/svg+xml': ['svg', 'SVG Scalable Vector Graphics image'],
  'image/vnd.adobe.photoshop': ['psd', 'Adobe Photoshop image'],
  'image/x-icon': ['ico', 'MS Windows icon resource'],
  'image/x-ms-bmp': ['bmp', 'PC bitmap'],
  'inode/x-empty': ['', 'empty'],
  'message/rfc822': ['eml', 'Internet mail message'],
  'multipart/related': ['mht', 'MIME HTML web archive'],
  'text/calendar': ['ics', 'iCalendar data'],
  'text/css': ['css', 'CSS style sheet'],
  'text/csv': ['csv', 'CSV text'],
  'text/html': ['html', 'HTML document'],
  'text/javascript': ['js', 'JavaScript source'],
  'text/markdown': ['md', 'Markdown document'],
  'text/plain': ['txt', 'text'],
  'text/rtf': ['rtf', 'Rich Text Format data'],
  'text/tab-separated-values': ['tsv', 'TSV text'],
  'text/troff': ['1', 'troff or preprocessor input'],
  'text/vcard': ['vcf', 'vCard visiting card'],
  'text/vtt': ['vtt', 'WebVTT subtitles'],
  'text/x-asm': ['asm', 'assembler source'],
  'text/x-awk': ['awk', 'awk script'],
  'text/x-bytecode.python': ['pyc', 'Byte-compiled Python module'],
  'text/x-c': ['c', 'C source'],
  'text/x-c++': ['cpp', 'C++ source'],
  'text/x-csharp': ['cs', 'C# source'],
  'text/x-dart': ['dart', 'Dart source'],
  'text/x-diff': ['diff', 'unified diff output'],
  'text/x-dockerfile': ['dockerfile', 'Dockerfile'],
  'text/x-elixir': ['ex', 'Elixir source'],
  'text/x-gitignore': ['gitignore', 'list of ignored files'],
  'text/x-go': ['go', 'Go source'],
  'text/x-handlebars': ['hbs', 'Handlebars template'],
  'text/x-haskell': ['hs', 'Haskell source'],
  'text/x-ini': ['ini', 'configuration file'],
  'text/x-java': ['java', 'Java source'],
  'text/x-jinja': ['j2', 'Jinja template'],
  'text/x-julia': ['jl', 'Julia source'],
  'text/x-kotlin': ['kt', 'Kotlin source'],
  'text/x-lua': ['lua', 'Lua source'],
  'text/x-makefile': ['mk', 'makefile script'],
  'text/x-msdos-batch': ['bat', 'DOS batch file'],
  'text/x-objective-c': ['m', 'Objective-C source'],
  'text/x-perl': ['pl', 'Perl script'],
  'text/x-php': ['php', 'PHP script'],
  'text/x-powershell': ['ps1', 'PowerShell script'],
  'text/x-r': ['r', 'R source'],
  'text/x-ruby': ['rb', 'Ruby script'],
  'text/x-rust': ['rs', 'Rust source'],
  'text/x-scala': ['scala', 'Scala source'],
  'text/x-script.python': ['py', 'Python script'],
  'text/x-shellscript': ['sh', 'shell script'],
  'text/x-smali': ['smali', 'disassembled Android DEX Java class (smali)'],
  'text/x-swift': ['swift', 'Swift source'],
  'text/x-tcl': ['tcl', 'Tcl script'],
  'text/x-tex': ['tex', 'LaTeX document'],
  'text/x-twig': ['twig', 'Twig template'],
  'text/x-typescript': ['ts', 'TypeScript source'],
  'text/x-yara': ['yar', 'YARA rule'],
  'text/x-zig': ['zig', 'Zig source'],
  'text/xml': ['xml', 'XML document'],
  'video/mp4': ['mp4', 'ISO Media, MP4'],
};

export function kindOf(mimeType: string): Kind {
  const [extension, label] = known[mimeType] ?? [];
  return {
    extension: extension ?? mime.getExtension(mimeType) ?? '',
    label: label ?? labelFrom(mimeType),
  };
}

/** `image/x-foo` is "foo image data", `application/vnd.bar` is "bar data". */
function labelFrom(mimeType: string): string {
  const [group, subtype] = mimeType.split('/') as [string, string];
  const name = subtype.replace(/^(?:x-|vnd\.)/, '').replace(/\+.*$/, '');
  const noun = ['image', 'audio', 'video', 'font'].includes(group) ? ` ${group}` : '';
  return `${name}${noun} data`;
}

const archives =
  /zip|x-tar|gzip|bzip2|x-xz|x-7z|\brar|zstd|x-compress|lzma|lz4|lzip|java-archive|android\.package|x-archive|x-cpio|x-rpm|debian\.binary-package|ms-cab|x-arj|x-lzh|x-iso9660|x-apple-diskimage|zlib|brotli/;

/** Whether a file of this type packs others or is packed itself. Documents in zips are not meant. */
export const isArchive = (mimeType: string) =>
  archives.test(mimeType) && !mimeType.startsWith('application/epub');
