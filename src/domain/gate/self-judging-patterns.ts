import type { Language } from './code-syntax.ts'

/**
 * The way in which a source addresses its judge. Only a program that a person starts may also use
 * `ends the process`.
 */
export type Speech =
  | 'imports a test runner'
  | 'asks whether it is tested'
  | 'ends the process as if all were well'
  | 'equals whatever it is compared with'
  | 'replaces what tests rely on'
  | 'names what a test runner sets or loads'
  | 'reads its stack, its caller or how it was started'

const anyOf = (...parts: readonly RegExp[]): RegExp => new RegExp(parts.map(({ source }) => source).join('|'), 'gm')

/** Variables that a test runner, CI or this gate sets. */
const variables =
  /(?:NODE_TEST_CONTEXT|NODE_V8_COVERAGE|VITEST\w*|JEST_WORKER_ID|MOCHA_\w+|AVA_\w+|PYTEST_\w+|TOX_\w+|COVERAGE_\w+|CI|GITHUB_ACTIONS|ARTIFACT_DIR|DRYDOCK\w*)\b/
    .source

/** Built-in objects of a language from which assertions, clocks and random values are made. */
const builtIn =
  'assert|expect|console|Math|Date|JSON|Object|Array|Promise|Reflect|Number|String|Error|Map|Set|process|performance'
const runnerGlobals = 'test|it|describe|expect|assert|jest|vi|beforeEach|afterEach'
/** Names of test runners on a command line, or as the main file. */
const scriptRunners = /\b(?:test|vitest|_?mocha|jest|jasmine|(?:ava|tape|tap|uvu)\b)/.source
const constant = /(?:true|false|True|False|!0|[0-9]+)/.source

const script: Readonly<Partial<Record<Speech, RegExp>>> = {
  'imports a test runner':
    /(?:\b(?:import\b(?!\s+type\b)(?:[^'"`;()=]{0,400}\bfrom)?|export\b[^'"`;()=]{0,400}\bfrom)\s*|\b(?:require|import)\s*\(\s*)['"](?:node:test(?:\/\w+)?|vitest(?:\/[\w-]+)?|jest|@jest\/globals|mocha|ava|tape|tap|uvu|bun:test)['"]/g,
  'asks whether it is tested': anyOf(
    new RegExp(`\\benv\\s*(?:\\?\\.)?(?:\\.|\\[\\s*['"\`]|\\.get\\(['"])${variables}`),
    new RegExp(`\\{[^{}\\n]{0,200}\\b${variables}[^{}\\n]{0,200}\\}\\s*=\\s*(?:[\\w.]{1,40}\\.)?env\\b`),
    new RegExp(`['"]${variables}['"]\\s+in\\s+(?:[\\w.]{1,40}\\.)?env\\b`),
    /\bNODE_ENV\b['"]?\]?\s*[!=]==?\s*['"]test\b|\bimport\.meta\.vitest\b|\bprocess\.execArgv\b[^\n]{0,80}\btest/,
    new RegExp(
      `\\btypeof\\s+(?:describe|expect|jest|vi|beforeEach|afterEach)\\s*[!=]=|\\b(?:globalThis|global)\\s*\\.\\s*(?:${runnerGlobals})\\b(?!\\s*=[^=])`,
    ),
    new RegExp(`\\b(?:process\\.(?:argv0?|title)|require\\.main|module\\.parent)\\b[^\\n]{0,80}${scriptRunners}`),
    /\bnpm_(?:lifecycle_(?:event|script)|command)\b[^\n]{0,80}\btest|\.stack\b[^\n]{0,80}['"`/.](?:test|spec|node:internal)/,
  ),
  'ends the process as if all were well': anyOf(
    /\bprocess\s*\.\s*(?:exit|reallyExit)\b(?!\s*\(\s*[1-9]\d{0,2}\s*\))/,
    /\bprocess\s*\.\s*exitCode\s*=(?!=)\s*(?![1-9])|\bprocess\s*\[\s*['"`](?:exit|reallyExit|on|once)/,
    // Handlers of `exit` are left out: cleaning up does not change the exit code.
    /\bprocess\s*\.\s*(?:on|once|addListener|prependListener)\s*\(\s*['"`](?:uncaughtException|unhandledRejection)/,
    /\bprocess\s*\.\s*emit\s*\(\s*['"`](?:exit|beforeExit|uncaughtException|unhandledRejection)/,
    /\bprocess\s*\.\s*kill\s*\(\s*process\b|\{[^{}\n]{0,200}\bexit\b[^{}\n]{0,200}\}\s*(?:=\s*process\b|from\s*['"](?:node:)?process\b['"])/,
  ),
  'equals whatever it is compared with': anyOf(
    new RegExp(
      `(?:\\[Symbol\\.(?:toPrimitive|hasInstance)\\]|\\b(?:valueOf|equals|isEqual))\\s*(?:[:=]\\s*)?(?:function\\s*)?\\([^()\\n]{0,200}\\)\\s*(?::\\s*[\\w.]+\\s*)?(?:=>\\s*)?\\{?\\s*(?:return\\s+)?${constant}\\b`,
    ),
    /\basymmetricMatch\b/,
  ),
  'replaces what tests rely on': anyOf(
    new RegExp(
      `(?<![\\w$.])(?:${builtIn})(?:\\.(?!env\\b|exitCode\\b|title\\b|stackTraceLimit\\b|prepareStackTrace\\b)[\\w$]+|\\[[^\\]\\n]{1,80}\\]){1,4}\\s*(?:\\?\\?|\\|\\|)?=(?![=>])`,
    ),
    new RegExp(
      `\\b(?:Object\\.(?:assign|definePropert(?:y|ies)|setPrototypeOf)|Reflect\\.(?:set|defineProperty))\\s*\\(\\s*(?:${builtIn}|globalThis|global)(?:\\.prototype)?\\s*,`,
    ),
    new RegExp(
      `\\b(?:globalThis|global)\\.(?:${builtIn}|${runnerGlobals}|set(?:Timeout|Interval|Immediate)|queue(?:Microtask))\\s*=(?!=)`,
    ),
    /\brequire\.cache\s*\[|\bModule\s*\.\s*_|\bsyncBuiltinESMExports\b|\bregisterHooks\s*\(/,
  ),
}

const python: Readonly<Partial<Record<Speech, RegExp>>> = {
  'imports a test runner':
    /^[ \t]*(?:import|from)[ \t]+(?:pytest|_pytest|unittest|doctest|nose2?)\b|\b(?:import_module|__import__)\s*\(\s*['"](?:_?pytest|unittest|doctest)/gm,
  'asks whether it is tested': anyOf(
    new RegExp(`\\b(?:os\\.)?(?:environ(?:\\.get\\s*\\(|\\s*\\[|\\.pop\\s*\\()|getenv\\s*\\()\\s*['"]${variables}`),
    new RegExp(`['"]${variables}['"]\\s+(?:not\\s+)?in\\s+(?:os\\.)?environ\\b`),
    /['"](?:_?pytest|unittest|doctest|nose|coverage)['"]\s+(?:not\s+)?in\s+sys\.modules\b|\bsys\.modules\b[^\n]{0,40}['"](?:_?pytest|unittest)/,
    /\b(?:sys\.argv|inspect\.stack|sys\._getframe)\b[^\n]{0,80}(?:test|unittest)/,
  ),
  'ends the process as if all were well': anyOf(
    /\b\w{1,40}\._exit\b(?!\s*\(\s*[1-9]\d{0,2}\s*\))|\bgetattr\s*\([^()\n]{0,80}['"]_exit\b|\batexit\._run_exitfuncs\b|\bfrom[ \t]+os[ \t]+import\b[^\n]{0,200}\b_exit\b/,
    /(?<![\w.])(?:sys\.exit|exit|quit|SystemExit)\s*\(\s*(?:0|None)?\s*\)|\braise[ \t]+SystemExit\b(?!\s*\()/,
  ),
  'equals whatever it is compared with': anyOf(
    new RegExp(
      `\\bdef[ \\t]+__(?:eq|ne|lt|le|gt|ge|contains|instancecheck|subclasscheck)__\\s*\\([^()\\n]{0,200}\\)[^:\\n]{0,40}:\\s*return[ \\t]+${constant}\\b`,
    ),
    new RegExp(`['"]?\\b__(?:eq|ne)__['"]?\\s*[=:,]\\s*lambda[^:\\n]{0,80}:\\s*${constant}\\b`),
  ),
  'replaces what tests rely on': anyOf(
    /(?<![\w.])(?:unittest|_?pytest|builtins|time|random|datetime|math)\.[\w.]{1,80}\s*=(?!=)/,
    /(?<![\w.])(?:os\._exit|sys\.(?:exit|modules|stdout|stderr|excepthook|meta_path))\s*(?:\[[^\]\n]{1,80}\]\s*)?=(?!=)/,
    /\bsetattr\s*\(\s*(?:unittest|_?pytest|builtins|time|random|datetime|math|os|sys)\b|\bsys\.(?:settrace|setprofile)\s*\(/,
    /\bsys\.meta_path\.\w+\s*\(|(?<![\w.])__builtins__\s*(?:\.|\[)/,
  ),
}

const go: Readonly<Partial<Record<Speech, RegExp>>> = {
  'imports a test runner': /^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?"testing(?:\/\w+)?"/gm,
  'asks whether it is tested': anyOf(
    /\bflag\.Lookup\s*\(\s*"test\.|\btesting\.(?:Testing|Short|Verbose|CoverMode)\s*\(/,
    /\bos\.Args\b[^\n]{0,80}["`.-]test\b|\bHas(?:Suffix|Prefix)\s*\(\s*os\.Args|\bos\.Executable\s*\(\)[^\n]{0,80}test/,
    new RegExp(`\\bos\\.(?:Getenv|LookupEnv)\\s*\\(\\s*["\`]${variables}`),
  ),
  'ends the process as if all were well': /\b(?:os|syscall|unix)\.Exit\b(?!\s*\(\s*[1-9]\d{0,2}\s*\))/g,
  'equals whatever it is compared with':
    /\bfunc\s*\([^()\n]{1,80}\)\s*(?:Equal|Equals|Is|Matches)\s*\([^()\n]{0,80}\)\s*bool\s*\{\s*return\s+(?:true|false)\b/g,
  'replaces what tests rely on': /(?<![\w.])os\.(?:Stdout|Stderr|Args)\s*=(?!=)/g,
}

const rust: Readonly<Partial<Record<Speech, RegExp>>> = {
  'asks whether it is tested': anyOf(
    /\bcfg!\s*\([^\n]{0,80}\b(?:test|debug_assertions)\b|#!?\[cfg(?:_attr)?\s*\([^\]\n]{0,80}(?:\bnot\s*\(\s*test|\bdebug_assertions)\b/,
    new RegExp(`\\benv::var(?:_os)?\\s*\\(\\s*"${variables}|\\boption_env!\\s*\\(\\s*"${variables}`),
  ),
  'ends the process as if all were well':
    /\b(?:process::exit|libc::_?exit)\b(?!\s*\(\s*[1-9]\d{0,2}\s*\))|\blibc::atexit\b/g,
  'equals whatever it is compared with':
    /\bfn\s+(?:eq|ne)\s*\([^()\n]{0,120}\)\s*->\s*bool\s*\{\s*(?:return\s+)?(?:true|false)\b/g,
  'replaces what tests rely on':
    /\bmacro_rules!\s*(?:assert\w*|debug_assert\w*|panic|unreachable|matches)\b|\bpanic::(?:set_hook|take_hook)\b/g,
}

const cLike: Readonly<Partial<Record<Speech, RegExp>>> = {
  'imports a test runner':
    /^[ \t]*(?:import[ \t]+(?:static[ \t]+)?(?:org\.junit|org\.testng|kotlin\.test|XCTest)\b|using[ \t]+(?:Xunit|NUnit|Microsoft\.VisualStudio\.TestTools)\b)/gm,
  'asks whether it is tested': new RegExp(
    `\\b(?:getenv|secure_getenv|GetEnvironmentVariable)\\s*\\(\\s*"${variables}`,
    'g',
  ),
  'ends the process as if all were well': anyOf(
    /(?<![\w.>])(?:std::)?(?:_exit|_Exit|quick_exit|exit|exitProcess|exit_group)\s*\(\s*(?:0|EXIT_SUCCESS)\s*\)|\b(?:at_quick_exit|atexit|on_exit)\s*\(/,
    /\b(?:System\.exit|Environment\.Exit|halt)\s*\(\s*0\s*\)|__attribute__\s*\(\(\s*(?:con|de)structor\b/,
  ),
  'equals whatever it is compared with':
    /\b(?:operator\s*==|equals|Equals)\s*\([^()\n]{0,120}\)\s*(?:const\s*|noexcept\s*|override\s*|:\s*Boolean\s*){0,3}(?:\{\s*return\s+(?:true|false|1|0)\b|=>?\s*(?:true|false)\b)/g,
  'replaces what tests rely on':
    /^[ \t]*#[ \t]*(?:define|undef)[ \t]+(?:NDEBUG\b|_?assert\b|(?:(?:TEST_|CU_|ck_|cr_|g_|mu_)?(?:ASSERT|assert|EXPECT)\w*|CHECK|REQUIRE)\(|(?:main|exit|_exit|abort|strcmp|strncmp|memcmp|printf|fprintf|puts|fabs|time|rand)\b)/gm,
}

const ruby: Readonly<Partial<Record<Speech, RegExp>>> = {
  'imports a test runner': /^[ \t]*require[ \t(]+['"](?:minitest|rspec|test\/unit)/gm,
  'asks whether it is tested': new RegExp(
    `\\bENV(?:\\.fetch\\(|\\[)\\s*['"]${variables}|\\bdefined\\?[ (]+(?:::)?(?:RSpec|Minitest|Test::Unit)\\b|\\bRails\\.env\\.test\\?`,
    'g',
  ),
  'ends the process as if all were well':
    /(?<![\w.])at_exit\b|(?<![\w.])exit!?(?:[ \t]*\(?[ \t]*(?:0|true)\b|[ \t]*$)/gm,
  'equals whatever it is compared with': /\bdef[ \t]+(?:==|eql\?|===)[^\n;]{0,60}[\n;=]\s*(?:true|false)\b/g,
}

/** Patterns of such text, by language. A match counts only if it begins in code. */
export const speeches: Readonly<Partial<Record<Language, Readonly<Partial<Record<Speech, RegExp>>>>>> = {
  script,
  python,
  go,
  rust,
  ruby,
  'c-like': cLike,
}
