import type { Language } from './code-syntax.ts'

/** Names that only a test runner sets, and names of test files: in code and in strings. */
export const runnersOwn = new RegExp(
  [
    /(?<![A-Za-z0-9])(?:NODE_TEST\w*|NODE_V8_COVERAGE|VITEST\w*|JEST_\w+|MOCHA_\w+|AVA_PATH|PYTEST\w*|TOX_ENV_\w+|NEXTEST\w*|BATS_TEST\w*)\b/,
    /(?<![A-Za-z0-9])(?:COVERAGE_(?:PROCESS_START|FILE|RCFILE)|GOCOVERDIR|PHPUNIT_\w+|TEST_UNDECLARED_OUTPUTS\w*)\b/,
    /__vitest_\w+|\bXCTestConfiguration\w*|\borg\.(?:junit|testng)\b|\bsurefire\b/,
    /\b\w*_(?:test|spec)\\?\.(?:go|py|rb|exs|dart|cc|cpp|c|rs)\b|\btest_\w*\\?\.py\b|\bconftest\b|\b__tests__\b/,
    /\\?\.(?:test|spec)\\?\.[cm]?[jt]sx?\b|\b[A-Z]\w*Tests?\\?\.(?:java|kt|cs|php|swift)\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

/**
 * Reads of the stack or the caller, and of the command line, which a program may read for its own
 * use.
 */
interface Reads {
  readonly stack: RegExp
  readonly start?: RegExp
  /** Places in addition to those of `stack`. */
  readonly places?: readonly number[]
}

/** Files in which the kernel describes the process; they count in any language, and in strings. */
export const ofProcess = /\/proc\/(?:self|thread-self)\/(?:cmdline|environ|maps|comm|exe|cwd|mountinfo)\b/g

/** A literal that a stack is compared with. */
const asked = /\??\.(?:includes|indexOf|lastIndexOf|match|matchAll|search|startsWith|endsWith)\s*\(\s*['"`/]/.source
const chosen = /\??\.split\s*\([^()\n]{1,40}\)\s*(?:\??\.)?(?:\[|at\s*\(|find\s*\(|some\s*\()/.source

const none = '(?!)'
const anyName = (found: readonly string[]) => (found.length === 0 ? none : `\\b(?:${[...new Set(found)].join('|')})\\b`)
const namesBy = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].flatMap((found) => found.slice(1).filter((each) => each !== undefined))

const ofNames =
  /\b(\w{1,40})\s*=\s*(?:globalThis\.)?process\b(?!\s*[.[(])|\bimport\s+(\w{1,40})\s+from\s*['"](?:node:)?process\b['"]/g

/** An error that is created and may be read within this many characters. */
const made = /(?<!\.)\b(\w{1,40})\s*=\s*new\s+[\w.]{0,80}Error\b|\bcaptureStackTrace\s*\(\s*(?!this\b)(\w{1,40})\b/g
const shortAfter = 1_500

/** Matches a read of the stack of an error that was created a few lines before. */
function stacksOfMade(text: string): readonly number[] {
  const seen = new Map<string, { readonly end: number; readonly read: RegExp }>()
  const places = [...text.matchAll(made)].flatMap(({ index, 1: one, 2: other }) => {
    const name = one ?? other ?? ''
    const known = seen.get(name)
    const start = Math.max(index, known?.end ?? 0)
    const end = index + shortAfter
    const read =
      known?.read ??
      new RegExp(
        `\\b${name}\\s*[!?]?\\.stack\\b|\\{[^{}\\n]{0,200}\\bstack\\b[^{}\\n]{0,200}\\}\\s*=\\s*${name}\\b`,
        'g',
      )
    seen.set(name, { end, read })
    return [...text.slice(start, end).matchAll(read)].map((found) => start + found.index)
  })
  return [...new Set(places)].toSorted((one, other) => one - other)
}

/** A read of a stack counts if the error was created for it, or if the stack is compared. */
function ofScript(text: string): Reads {
  const processes = anyName(['process', ...namesBy(text, ofNames)])
  const held = [
    ...namesBy(text, /(?<!\.)\b(\w{1,40})\s*=\s*[\w.?!()]{1,80}\.stack\b/g),
    ...namesBy(text, /\{[^{}\n]{0,200}\bstack\s*:\s*(\w{1,40})[^{}\n]{0,200}\}\s*=/g),
    ...(/\{[^{}\n]{0,200}\bstack\b(?!\s*:)[^{}\n]{0,200}\}\s*=(?!>)/.test(text) ? ['stack'] : []),
  ]
  const stacks = `(?:\\.stack\\b|${anyName(held)})`
  return {
    places: stacksOfMade(text),
    stack: anyOf(
      `(?<!\\bthis\\.stack\\s{0,9}=\\s{0,9}\\(?(?:new\\s{1,9})?)(?:new\\s+)?\\b\\w{0,40}Error\\s*\\([^()\\n]{0,200}\\)\\s*\\)?\\s*\\??\\.stack\\b`,
      '\\{[^{}\\n]{0,200}\\bstack\\b[^{}\\n]{0,200}\\}\\s*=\\s*new\\s+[\\w.]{0,80}Error\\b',
      `${stacks}\\s*${asked}|${stacks}\\s*${chosen}|\\.test\\s*\\(\\s*(?:[\\w.?]{0,80}\\.stack\\b|${anyName(held)})`,
      '\\bprepareStackTrace\\s*=(?!=)|\\bgetCallSites?\\s*\\(|\\barguments\\.callee\\b|\\.caller\\.(?:toString|caller)\\b',
    ),
    start: anyOf(
      `${processes}\\s*(?:\\??\\.|\\[\\s*['"\`])(?:argv0?|execArgv)\\b(?!\\.(?:includes|indexOf)\\(\\s*['"\`]--)|\\bprocess\\.title\\b(?!\\s*=[^=])`,
      '\\{[^{}\\n]{0,200}\\b(?:argv0?|execArgv|title)\\b[^{}\\n]{0,200}\\}\\s*(?:=\\s*(?:globalThis\\.)?process\\b|from\\s*[\'"](?:node:)?process\\b[\'"])',
    ),
  }
}

function ofPython(text: string): Reads {
  const inspecting = anyName(['inspect', ...namesBy(text, /\bimport[ \t]+inspect[ \t]+as[ \t]+(\w{1,40})/g)])
  const system = anyName(['sys', ...namesBy(text, /\bimport[ \t]+sys[ \t]+as[ \t]+(\w{1,40})/g)])
  return {
    stack: anyOf(
      `${inspecting}\\.(?:stack|trace|currentframe)\\b|\\bfrom[ \\t]+inspect[ \\t]+import\\b[^\\n]{0,200}\\b(?:stack|trace|currentframe)\\b`,
      '\\b(?:_getframe|_getframemodulename|_current_frames|currentframe|getouterframes|f_back|extract_stack|format_stack|walk_stack|findCaller)\\b',
      `${system}\\.modules\\b(?!\\s*\\[\\s*__name__\\s*\\])(?!\\s*(?:\\[[^\\]\\n]{1,80}\\]\\s*)?=[^=])|\\bfrom[ \\t]+sys[ \\t]+import\\b[^\\n]{0,200}\\bmodules\\b`,
      '\\bgc\\.get_(?:objects|referrers|referents)\\b|^[ \\t]*import[ \\t]+__main__\\b',
    ),
    start: anyOf(`${system}\\.(?:orig_)?argv\\b|\\bfrom[ \\t]+sys[ \\t]+import\\b[^\\n]{0,200}\\bargv\\b`),
  }
}

function ofGo(text: string): Reads {
  const dumps = /\brecover\s*\(\s*\)/.test(text) ? none : '\\b(?:debug|runtime)\\.Stack\\s*\\('
  return {
    stack: anyOf(`\\bruntime\\.(?:Callers?|CallersFrames|FuncForPC)\\b|${dumps}`),
    // A program may print its own name and parse its options.
    start: anyOf(
      '(?<!\\b(?:\\w{0,9}[Pp]rint\\w{0,3}|Fatal\\w{0,2}|Errorf|NewFlagSet|Parse)\\([^\\n]{0,200})\\bos\\.Args\\b',
    ),
  }
}

const rust: Reads = {
  stack: /\bBacktrace::(?:capture|force_capture)\b|\bLocation::caller\b|\bthread::current\s*\(\s*\)\s*\.\s*name\b/g,
  start: /\benv::(?:args(?:_os)?|current_exe)\b/g,
}

function ofCLike(text: string): Reads {
  const made = anyName(namesBy(text, /\b(\w{1,40})\s*=\s*(?:new\s+)?[\w.]{0,80}(?:Throwable|Exception|Error)\s*\(/g))
  const trace = '\\s*\\.\\s*(?:getStackTrace\\b|stackTrace\\b|StackTrace\\b)'
  return {
    stack: anyOf(
      '\\bStackWalker\\b|\\bgetCallerClass\\b|\\bgetAllStackTraces\\b|\\bnew\\s+Stack(?:Trace|Frame)\\s*\\(|\\bStackTrace\\.current\\b',
      `\\bcurrentThread\\s*(?:\\(\\s*\\))?${trace}|\\b(?:Throwable|\\w{0,40}Exception|\\w{0,40}Error)\\s*\\([^()\\n]{0,200}\\)\\s*\\)?${trace}|${made}${trace}`,
      '\\bEnvironment\\.StackTrace\\b|\\bGet(?:Calling|Entry)Assembly\\b|\\bcallStack(?:Symbols|ReturnAddresses)\\b',
      '\\b(?:backtrace|backtrace_symbols|__builtin_return_address|__builtin_frame_address|dladdr)\\s*\\(',
    ),
    start: anyOf(
      '\\b(?:program_invocation_(?:short_)?name|getprogname|_NSGetExecutablePath)\\b|\\bGetCommandLineArgs\\b|\\bCommandLine\\.arguments\\b',
      '\\bgetInputArguments\\b|\\bprocessInfo\\.arguments\\b',
    ),
  }
}

const ruby: Reads = {
  stack: /(?<![\w.@:$])caller(?:_locations)?\b(?!\s*=[^=~])|\bof_caller\b|\bObjectSpace\b/g,
  start: /(?<!__FILE__[ \t]{0,9}===?[ \t]{0,9})(?:\$0|\$PROGRAM_NAME)\b(?!\s*===?\s*__FILE__)|(?<![\w.])ARGV\b/g,
}

const php: Reads = {
  stack: /\bdebug_backtrace\b|\bnew\s+\\?\w{0,40}(?:Exception|Error)\s*(?:\([^()\n]{0,200}\))?\s*\)?\s*->getTrace\b/g,
  start: /\$_SERVER\s*\[\s*['"]arg[vc]|\$argv\b/g,
}

const elixir: Reads = { stack: /:current_stacktrace\b/g, start: /\bSystem\.argv\b/g }

const perl: Reads = {
  stack: /(?<=[=({][ \t]{0,9}|\breturn[ \t]{1,9})caller\b(?!\s*=>)/g,
  start: /(?<!\\)\$(?:0|PROGRAM_NAME)\b|@ARGV\b/g,
}

/** The reads that a program's text may have, in its language. */
export function readsOf(text: string, language: Language): Reads | null {
  switch (language) {
    case 'script':
      return ofScript(text)
    case 'python':
      return ofPython(text)
    case 'go':
      return ofGo(text)
    case 'c-like':
      return ofCLike(text)
    default:
      return { rust, ruby, php, elixir, perl }[language as string] ?? null
  }
}

function anyOf(...sources: readonly string[]): RegExp {
  return new RegExp(sources.join('|'), 'gm')
}
