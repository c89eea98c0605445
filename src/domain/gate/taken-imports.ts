import { folderOf, foldersAbove } from './modules/paths.ts'

/** An external module that a new file replaces, and a test that imports it. */
interface TakenImport {
  readonly module: string
  readonly test: string
}

interface Base {
  /** The texts of the base commit's tests. */
  readonly tests: ReadonlyMap<string, string>
  /** All files of the base commit. */
  readonly paths: readonly string[]
  /** True if the steps passed, so every import of the tests was resolved. */
  readonly isGreen: boolean
}

/** A file, as imports name it. */
interface Importable {
  readonly module: string
  /** Matches an import of the file. */
  readonly imports: RegExp
  /** True if a file of the tree has the same import name. */
  readonly isTwin: (path: string) => boolean
  /** True if a language or a well-known library has a module of this name. */
  readonly isKnown: boolean
  /** True if an import in this test searches the folder. */
  readonly isReached: (test: string, base: Base) => boolean
}

/**
 * Finds the external module that a new file replaces: a test of the base commit imports the module,
 * the base's tree does not have it, and its name now means this file. Null for any other file.
 */
export function importTakenBy(path: string, base: Base): TakenImport | null {
  const found = importableOf(path)
  if (found === null || !(found.isKnown || base.isGreen) || base.paths.some(found.isTwin)) return null
  for (const [test, text] of base.tests)
    if (text.search(found.imports) >= 0 && found.isReached(test, base)) return { module: found.module, test }
  return null
}

/** True if a new file of this name can replace a module at all. */
export function mayTakeImport(path: string): boolean {
  return importableOf(path) !== null
}

function importableOf(path: string): Importable | null {
  return ofPython(path) ?? ofJava(path) ?? ofC(path) ?? ofRuby(path) ?? ofPerl(path)
}

const escaped = (name: string) => name.replace(/[.+]/g, '\\$&')
const wordsOf = (text: string) => new Set(text.split(/\s+/).filter(Boolean))

const standardInPython = wordsOf(`
  abc argparse array ast asyncio base64 binascii bisect builtins bz2 calendar cmath cmd code codecs collections colorsys configparser
  contextlib contextvars copy csv ctypes dataclasses datetime dbm decimal difflib dis doctest email enum errno faulthandler filecmp
  fnmatch fractions functools gc getopt getpass gettext glob graphlib gzip hashlib heapq hmac html http importlib inspect io ipaddress
  itertools json keyword linecache locale logging lzma marshal math mimetypes mmap multiprocessing numbers operator os pathlib pickle
  pkgutil platform plistlib pprint profile queue quopri random re reprlib sched secrets select shelve shlex shutil signal site smtplib
  socket socketserver sqlite3 ssl stat statistics string struct subprocess symtable sys sysconfig tarfile tempfile textwrap threading
  time timeit token tokenize tomllib trace traceback tracemalloc types typing unicodedata unittest urllib uuid warnings weakref xml
  xmlrpc zipfile zlib zoneinfo numpy pandas pytest hypothesis mock responses freezegun attr requests yaml`)

function ofPython(path: string): Importable | null {
  const [, folderAndSlash = '', name] = /^(.*\/)?((?!__init__\b)\w+)(?:\.py|\/__init__\.py)$/.exec(path) ?? []
  if (name === undefined) return null
  const folder = folderAndSlash.replace(/\/$/, '')
  const isTwin = (each: string) => new RegExp(`(?:^|/)${name}(?:\\.pyi?$|/.*\\.pyi?$)`).test(each)
  return {
    module: name,
    imports: importOfPython(name),
    isTwin,
    isKnown: standardInPython.has(name),
    isReached: (test, base) =>
      test.endsWith('.py') &&
      !(folder !== '' && base.paths.includes(`${folder}/__init__.py`)) &&
      (foldersAbove(folderOf(test)).includes(folder) || isImportedFrom(folder, base)),
  }
}

const importOfPython = (name: string) =>
  new RegExp(`^[ \\t]*(?:from[ \\t]+${name}\\b|import[ \\t]+(?:[\\w., \\t]{0,200},[ \\t]*)?${name}\\b)`, 'm')

/** True if tests import modules of this folder by bare names. */
function isImportedFrom(folder: string, { tests, paths }: Base): boolean {
  const start = `${folder}/`
  const names = new Set(
    paths.flatMap((path) => {
      const name = path.startsWith(start) ? /^(\w+)(?:\.py$|\/)/.exec(path.slice(start.length))?.[1] : undefined
      return name === undefined ? [] : [name]
    }),
  )
  const texts = [...tests.values()]
  return [...names].some((name) => texts.some((text) => importOfPython(name).test(text)))
}

const knownInJava =
  /^(?:org\.(?:junit|testng|hamcrest|assertj|mockito|spockframework)|javax?|kotlin|com\.google\.common)\./

function ofJava(path: string): Importable | null {
  const found = /^(?:.*\/)?(?:java|kotlin|scala|groovy|src)\/((?:\w+\/)+)(\w+)\.(?:java|kt|scala|groovy)$/.exec(path)
  if (found === null) return null
  const [, folders = '', name = ''] = found
  const folder = escaped(folders.replaceAll('/', '.'))
  const module = `${folders.replaceAll('/', '.')}${name}`
  const isKnown = knownInJava.test(module)
  return {
    module,
    imports: new RegExp(`^[ \\t]*import[ \\t]+(?:static[ \\t]+)?${folder}(?:${name}\\b${isKnown ? '|[*_]' : ''})`, 'm'),
    isTwin: (each) => new RegExp(`(?:^|/)${folders}${name}\\.\\w+$`).test(each),
    isKnown,
    isReached: (test) => /\.(?:java|kt|scala|groovy)$/.test(test),
  }
}

const standardInC = wordsOf(`
  assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h limits.h locale.h math.h setjmp.h signal.h stdarg.h stdbool.h stddef.h
  stdint.h stdio.h stdlib.h string.h time.h unistd.h check.h unity.h cmocka.h criterion.h gtest.h catch.hpp doctest.h`)

function ofC(path: string): Importable | null {
  const [, two, one] = /(?:^|\/)((?:\w[\w.-]*\/)?(\w[\w.-]*\.(?:h|hh|hpp|hxx)))$/.exec(path) ?? []
  if (two === undefined || one === undefined) return null
  const names = [two, one].map(escaped).join('|')
  return {
    module: standardInC.has(one) ? one : two.replace(/^(?:include|inc|src|lib|tests?)\//, ''),
    imports: new RegExp(`^[ \\t]*#[ \\t]*include[ \\t]*<(?:${names})>`, 'm'),
    isTwin: (each) => each === one || each.endsWith(`/${one}`),
    isKnown: standardInC.has(one),
    isReached: (test) => /\.(?:c|cc|cpp|cxx|h|hh|hpp|m|mm)$/.test(test),
  }
}

function ofRuby(path: string): Importable | null {
  const module = /^(?:.*\/)?(?:lib|test|spec)\/(.+)\.rb$/.exec(path)?.[1] ?? /^([^/]+)\.rb$/.exec(path)?.[1]
  if (module === undefined) return null
  return {
    module,
    imports: new RegExp(`^[ \\t]*require[ \\t(]+['"]${escaped(module)}['"]`, 'm'),
    isTwin: (each) => each === `${module}.rb` || each.endsWith(`/${module}.rb`),
    isKnown: /^(?:minitest|rspec|test\/unit)\b/.test(module),
    isReached: (test) => test.endsWith('.rb'),
  }
}

function ofPerl(path: string): Importable | null {
  const place = /^(?:.*\/)?lib\/(.+)\.pm$/.exec(path)?.[1]
  if (place === undefined) return null
  const module = place.replaceAll('/', '::')
  return {
    module,
    imports: new RegExp(`^[ \\t]*(?:use|require)[ \\t]+${module}\\b`, 'm'),
    isTwin: (each) => each.endsWith(`/${place}.pm`),
    isKnown: /^Test\b/.test(module),
    isReached: (test) => /\.(?:t|p[lm])$/.test(test),
  }
}
