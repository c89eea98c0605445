/**
 * Modules that pytest and unittest import when they run: a file of the same name beside the tests
 * takes their place.
 */
const modules = new Set(
  `abc argparse array ast asyncio base64 bdb binascii bisect bz2 cProfile calendar cmd code codecs codeop collections concurrent contextlib
  contextvars copy copyreg csv dataclasses datetime decimal difflib dis email encodings enum fcntl fnmatch fractions functools genericpath
  gettext glob gzip hashlib heapq http importlib inspect io ipaddress json keyword linecache locale logging lzma math netrc ntpath numbers
  opcode operator os pathlib pdb pkgutil platform posixpath pprint profile pstats pyexpat queue quopri random re readline reprlib select
  selectors shlex shutil signal site socket ssl stat statistics string struct subprocess sysconfig tempfile textwrap threading timeit token
  tokenize traceback types typing unicodedata unittest urllib uuid warnings weakref xml zipfile zipimport zlib zoneinfo
  iniconfig packaging pluggy py pygments exceptiongroup tomli colorama attr attrs typing_extensions nose`.split(/\s+/),
)

/**
 * True if Python, started in `folder` or in a folder of tests, would import this file instead of a
 * module that its runner needs.
 */
export function shadowsModule(path: string, folder: string): boolean {
  const start = folder === '' ? '' : `${folder}/`
  if (!path.startsWith(start)) return false
  const name = /^(?:tests?\/)?(\w+)(?:\.py|\/__init__\.py)$/.exec(path.slice(start.length))?.[1]
  return name !== undefined && modules.has(name)
}
