import { filesRunBy } from '../../domain/gate/files-run-by.ts'
import { isObject, parsedJson } from '../../domain/json.ts'

/**
 * The way in which a text names another file: as a file that an option or setting loads beside the
 * tests, as a script that is run or sourced, or as an imported module, which may be the code under
 * test.
 */
export interface FileMention {
  readonly name: string
  readonly as: 'loaded' | 'script' | 'imported'
}

/** Options of runtimes and runners that load a file first, or read the environment from it. */
const options =
  /(?<![\w-])--(?:import|require|loader|experimental-loader|preload|env-file(?:-if-exists)?|setup-?files?(?:-?after-?env)?|global-?(?:setup|teardown)|plugin|rcfile)(?:=|[ \t]+)["']?([^\s"'&|;)=]+)/gi
const shortOptions = /(?<![\w-])-[rp](?:=|[ \t]+)["']?([^\s"'&|;)=]+)/g
/** The short options have other meanings for other programs. */
const runtime =
  /(?:^|[\s"'/])(?:node|nodejs|bun|tsx|ts-node|mocha|ava|tap|nyc|c8|jest|ruby|rspec|python[\d.]*|pytest|py\.test)(?=\s)|^\s*addopts\b/

/** Settings of runners with the same effect, in any of their formats. */
const settings =
  /(?<![\w-])["']?(?:setup(?:Files?)?(?:AfterEnv)?|global(?:Setup|Teardown)|requires?|import|loaders?|preload|plugins|reporters?|runner|testRunner|testEnvironment|environment|transform|resolver|snapshotSerializers|hooks|pytest_plugins|env_files?)["']?[ \t]*[:=][ \t]*(\[[^\]]{0,2000}\]|\{[^}]{0,2000}\}|["'][^"'\n]{0,500}["']|[\w@./-]+)/g

const literal = /["']([^"'\n]{1,500})["']/g
/** Files that a shell script sources, and that make includes. */
const sourced = /(?:^|[;&|({]|\b(?:then|do|else))[ \t]*(?:source|\.)[ \t]+([^\n;]{1,500})/gm
const included = /^[ \t]*-?s?include[ \t]+([^#\n]+)/gm
const imports = /(?:\bfrom|\bimport|\brequire[ \t]*\(|\bimport[ \t]*\()[ \t]*["'](\.{1,2}\/[^"'\n]{1,500})["']/g
const pythonImports = /^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import|import[ \t]+([\w.]+))/gm

const first = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, name = '']) => name)
const as = (kind: FileMention['as'], names: readonly string[]): readonly FileMention[] =>
  names.map((name) => ({ name, as: kind }))

/** The files that command lines name. */
export function namedInCommands(text: string): readonly FileMention[] {
  const short = text.split(/[;&|\n]+/).filter((command) => runtime.test(command))
  return [
    ...as('loaded', [...first(text, options), ...short.flatMap((command) => first(command, shortOptions))]),
    ...as('script', [...filesRunBy(text), ...first(text, sourced)].map(withoutFolderOfScript)),
  ]
}

/**
 * The files that a file names. The given file is configuration, loaded with the tests, or a script
 * that is run.
 */
export function namedIn(path: string, text: string): readonly FileMention[] {
  if (/(?:^|\/)(?:package|deno|jsr)\.jsonc?$/.test(path)) return inSettings(withoutEntries(text))
  if (/\.[cm]?[jt]sx?$/.test(path)) return [...inSettings(text), ...as('imported', first(text, imports))]
  if (/\.py$/.test(path)) return [...inSettings(text), ...as('imported', modulesOf(text))]
  if (/(?:^|\/)(?:GNU)?makefile[^/]*$|\.mk$/i.test(path))
    return as(
      'script',
      first(text, included).flatMap((names) => names.trim().split(/\s+/)),
    )
  return /\.(?:json[c5]?|ya?ml|toml|ini|cfg|conf|[a-z]+rc)$|rc$/.test(path) ? inSettings(text) : namedInCommands(text)
}

function inSettings(text: string): readonly FileMention[] {
  const values = first(text, settings)
    .map(withoutArguments)
    .flatMap((value) => (/["']/.test(value) ? first(value, literal) : [value]))
  return [...as('loaded', values), ...namedInCommands(text).filter((each) => each.as === 'loaded')]
}

/** Arguments of functions in a list, and properties of its entries, are not entries. */
function withoutArguments(value: string): string {
  if (!value.startsWith('[')) return value
  const inner = /\([^()]*\)|\{[^{}]*\}/g
  return value
    .replace(inner, '')
    .replace(inner, '')
    .replace(/[({].*$/s, '')
}

/** Removes the fields with the package's own modules, which are the tested code. */
function withoutEntries(manifest: string): string {
  const read = parsedJson(manifest)
  if (!isObject(read)) return ''
  const { main, module, browser, bin, exports: exported, imports: own, types, files, ...rest } = read
  return JSON.stringify(rest)
}

function modulesOf(text: string): readonly string[] {
  return [...text.matchAll(pythonImports)].map(([, from, plain]) => from ?? plain ?? '')
}

/** `"$(dirname "$0")/x"` and `$DIR/x` are assumed to be beside the script. */
function withoutFolderOfScript(name: string): string {
  const rest = name.slice(name.lastIndexOf('$') + 1)
  const beside = rest.length === name.length ? name : `./${rest.slice(rest.indexOf('/') + 1)}`
  const [plain = ''] = beside.replace(/["']/g, '').split(/[\s&|)]/, 1)
  return plain
}

/**
 * The files that a name may stand for, by paths from the root or from the folder of the naming
 * file.
 */
export function pathsFor({ name, as }: FileMention): readonly string[] {
  const plain = name
    .replace(/^<rootDir>\//, '')
    .replace(/^file:/, '')
    .replace(/\/+$/, '')
  const ends = ['', '.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.jsx', '.tsx', '/index.js', '/index.ts']
  const dotted = /^\.*[A-Za-z_]\w*(?:\.\w+)*$/.test(plain) ? plain.replace(/^\.+/, '').replaceAll('.', '/') : null
  const python = dotted === null ? [] : [`${dotted}.py`, `${dotted}/__init__.py`]
  // A bare word names a package in JavaScript, and a module in Python.
  const isPath = as === 'script' || /[./]/.test(plain)
  return [...(isPath ? ends.map((end) => plain + end) : []), ...python]
}
