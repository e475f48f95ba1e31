import type { SupportLanguage } from 'prettier';
import { supportedLanguages } from './prettier.ts';
import { languages, type Language } from './languages.ts';

/** Extensions of languages that the tool does not format. A file with another unknown extension is in `language`. */
const foreign = new Set(
  `ada adb asm astro awk bash bat bicep c cbl cc cfg clj cljs cmake cmd cob coffee cpp cr cs csproj csv
  cu cuh cxx d dart dockerfile eex elm env erb erl ex exs f f90 fish fs fsx gd gradle groovy h haml
  handlebars hbs hcl hh hpp hrl hs hx ini ino ipynb java jinja jinja2 jl jsp kt kts lean liquid lisp lua
  m mak mdx mir mjml mk ml mli mm mustache mysql nim nix nu pas php pl plist pm po prisma properties
  proto ps1 psm1 pug py pyi pyx r rake rb reek rego rkt rs rst rviz s sass sc scala scm sed sh snap sol
  sql styl sublime-syntax sv svelte svg swift syntax tcl tex textproto tf tfvars toml tsv twig v vala vb
  vhd vhdl vim wat wgsl xml xsd xsl xslt yaml yaml-tmlanguage yml zig zsh`.split(/\s+/),
);

/** Names of files in languages that the tool does not format, where the extension does not say so. */
const foreignNames = new Set(
  `.bash_profile .bashrc .clang-format .clang-tidy .clangd .dockerignore .editorconfig .env .eslintignore
  .eslintrc .gemrc .gitattributes .gitconfig .gitignore .gitmodules .htaccess .lintstagedrc .npmignore
  .npmrc .nvmrc .prettierignore .prettierrc .profile .releaserc .stylelintrc .vimrc .yarnrc .zshrc
  brewfile caddyfile cargo.lock citation.cff cmakelists.txt codeowners containerfile dockerfile gemfile
  gemfile.lock glide.lock gnumakefile go.mod go.sum go.work jenkinsfile justfile license makefile
  meson.build pipfile pixi.lock podfile poetry.lock procfile rakefile requirements.txt robots.txt
  vagrantfile yarn.lock`.split(/\s+/),
);

/**
 * Returns the language of a file by its name; `foreign` for a language that the tool does not format, and undefined
 * for a name that gives none.
 */
export async function languageOfFile(path: string): Promise<Language | 'foreign' | undefined> {
  const name = path
    .slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
    .toLowerCase();
  const extension = /\.([\w-]+)$/.exec(name)?.[1];
  if (extension === 'go') return 'go';
  const matching = (await supportedLanguages()).filter((language) => isNameIn(language, name));
  const entry = Object.entries(languages).find(([, { linguist }]) =>
    matching.some((language) => (linguist as readonly string[]).includes(language.name)),
  );
  if (entry) return entry[0] as Language;
  const isForeign = foreignNames.has(name) || (extension !== undefined && foreign.has(extension));
  return isForeign ? 'foreign' : undefined;
}

/** As Prettier tells a file's language. */
const isNameIn = ({ filenames = [], extensions = [] }: SupportLanguage, name: string) =>
  filenames.some((each) => each.toLowerCase() === name) ||
  extensions.some((each) => name.endsWith(each.toLowerCase()));
