import type { SupportLanguage } from 'prettier';
import { supportedLanguages } from './prettier.ts';
import { languages, type Language } from './languages.ts';

/** Extensions of languages that the tool does not format. A file with any other one is of `language`. */
const foreign = new Set(
  `ada adb asm astro awk bash bat bicep c cbl cc cfg clj cljs cmake cmd coffee cob cpp cr cs csproj csv cu cuh
  cxx d dart dockerfile eex elm erb erl ex exs f f90 fish fs fsx gradle groovy gd h haml hbs hcl hh hpp hrl
  hs hx ini ino ipynb java jinja jinja2 jl jsp kt kts lean liquid lisp lua m mak mdx mjml mk ml mli mm mustache
  nim nix nu pas php pl plist pm po prisma properties proto ps1 psm1 pug py pyi pyx r rake rb rego rkt rs rst s
  sass sc scala scm sh sol sql styl sv svelte svg swift tcl tex textproto tf tfvars toml tsv twig v vala vb vhd
  vhdl vim wat wgsl xml xsd xsl xslt yaml yml zig zsh`.split(/\s+/),
);

/** The language of a file by its name; undefined where the name tells none, and `foreign` for others' languages. */
export async function languageOfFile(path: string): Promise<Language | 'foreign' | undefined> {
  const name = path
    .slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
    .toLowerCase();
  const extension = /\.(\w+)$/.exec(name)?.[1];
  if (extension === 'go') return 'go';
  const known = (await supportedLanguages()).find((language) => isNameIn(language, name));
  const entry = Object.entries(languages).find(([, { linguist }]) =>
    (linguist as readonly string[]).includes(known?.name ?? ''),
  );
  if (entry) return entry[0] as Language;
  return extension !== undefined && foreign.has(extension) ? 'foreign' : undefined;
}

/** As Prettier tells a file's language. */
const isNameIn = ({ filenames = [], extensions = [] }: SupportLanguage, name: string) =>
  filenames.some((each) => each.toLowerCase() === name) ||
  extensions.some((each) => name.endsWith(each.toLowerCase()));
