import nodeAssert from 'node:assert'
import { stripTypeScriptTypes } from 'node:module'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import vm from 'node:vm'
import type { CommandView, Program } from './sandbox.ts'

/** Thrown to exit the process of a file. */
class Exit extends Error {
  readonly code: number
  constructor(code: number) {
    super(`exit ${code}`)
    this.code = code
  }
}

type Body = (context: object) => unknown
interface Test {
  readonly name: string
  readonly skip: boolean
  readonly todo: boolean
  readonly timeout: number
  readonly only: boolean
  readonly body: Body
  /** The tests of a suite; null for a test. */
  readonly children: Test[] | null
}

interface Options {
  readonly isTest: boolean
  readonly onlyMarked: boolean
  readonly pattern: RegExp | null
  readonly preloaded: readonly string[]
  readonly files: readonly string[]
}

function optionsOf(args: readonly string[]): Options {
  const given = (name: string) => args.flatMap((arg, i) => (arg === name ? [args[i + 1] ?? ''] : []))
  const preloaded = given('--import')
  const files = args.filter((arg) => !arg.startsWith('-') && !preloaded.includes(arg))
  const pattern = args.find((arg) => arg.startsWith('--test-name-pattern='))
  return {
    isTest: args.includes('--test'),
    onlyMarked: args.includes('--test-only'),
    pattern: pattern === undefined ? null : new RegExp(pattern.slice(pattern.indexOf('=') + 1)),
    preloaded,
    files,
  }
}

const isTestFile = (path: string) =>
  !path.includes('node_modules/') && (/(?:^|\/)test\/.*\.[cm]?[jt]s$/.test(path) || /[._-]test\.[cm]?[jt]s$/.test(path))

/**
 * The `node` of the memory sandbox: it evaluates the tree's own ES modules, each test file in a
 * separate realm, and prints TAP. The gate's tables use only parts of `node:test`, `node:assert`,
 * `node:fs` and `process`, which it provides. Time is virtual: a timer fires at once.
 */
export const memoryNode: Program = async (seen, args) => {
  const options = optionsOf(args)
  const listed = options.files.flatMap((file) => (seen.read(file) === null ? [] : [file]))
  if (options.files.length > listed.length && options.files.some((file) => /\.[cm]?[jt]s$/.test(file)))
    return {
      exitCode: 1,
      output: `Error: Cannot find module '${options.files.find((file) => seen.read(file) === null)}'\n`,
    }
  const isBelow = (path: string) =>
    options.files.length === 0 || options.files.some((file) => path === file || path.startsWith(posix.join(file, '/')))
  const found = [...new Set([...seen.paths, ...listed])]
    .filter((path) => isBelow(path) && isTestFile(path) && seen.read(path) !== null)
    .toSorted()
  const files = options.isTest ? (listed.length > 0 ? listed : found) : options.files.slice(0, 1)
  const lines: string[] = []
  let failed = false
  for (const file of files) {
    const ran = await runFile(seen, file, options)
    lines.push(...ran.lines)
    failed ||= ran.code !== 0
  }
  const isTap = options.isTest || lines.some((line) => /^(not )?ok /.test(line))
  const numbered = renumbered(lines)
  const text = isTap ? ['TAP version 13', ...numbered.lines, `1..${numbered.count}`] : lines
  return { exitCode: failed ? 1 : 0, output: text.map((line) => `${line}\n`).join('') }
}

/** Numbers the test points of all files consecutively. */
function renumbered(lines: readonly string[]): { readonly lines: readonly string[]; readonly count: number } {
  let count = 0
  const numbered = lines.map((line) => {
    const point = /^((?:not )?ok) \d+( .*)$/.exec(line)
    if (point === null) return line
    count += 1
    return `${point[1]} ${count}${point[2]}`
  })
  return { lines: numbered, count }
}

/** Runs one file in a separate process. */
async function runFile(seen: CommandView, file: string, options: Options) {
  const roots: Test[] = []
  const lines: string[] = []
  const realm = createRealm(seen, roots, lines)
  let code = 0
  try {
    for (const path of [...options.preloaded, file]) await realm.load(posix.resolve('/repo', path))
    const wanted = roots.filter(
      (test) =>
        (options.pattern === null || test.children !== null || options.pattern.test(test.name)) &&
        (!options.onlyMarked || test.only),
    )
    if (!(await runTests(wanted, { lines, indent: '', realm }))) code = 1
  } catch (error) {
    if (error instanceof Exit) {
      code = error.code
      // Output that a test process has not flushed yet is lost.
      if (options.isTest) lines.length = 0
    } else {
      code = 1
      lines.push(`# ${String(error instanceof Error ? error.message : (error as Error)?.message).split('\n')[0]}`)
      if (options.isTest) lines.push(`not ok 1 - ${file}`, '  ---', "  error: 'test failed'", '  ...')
      return { code, lines }
    }
  }
  // Exit listeners may change how a process ends, but not what its parent has been told.
  const told = code
  realm.process.exitCode = code
  try {
    for (const listener of realm.atExit) listener(code)
  } catch (error) {
    if (!(error instanceof Exit)) throw error
    realm.process.exitCode = error.code
  }
  const ended = options.isTest
    ? Math.max(told, lines.some((line) => /^not ok (?!.*# TODO)/.test(line)) ? 1 : 0)
    : realm.process.exitCode
  if (options.isTest && !lines.some((line) => /^(not )?ok /.test(line)))
    lines.push(`# Subtest: ${file}`, `${ended === 0 ? 'ok' : 'not ok'} 1 - ${file}`)
  return { code: ended, lines }
}

interface Printing {
  readonly lines: string[]
  readonly indent: string
  readonly realm: ReturnType<typeof createRealm>
}

/** Returns true if no test failed. */
async function runTests(tests: readonly Test[], printing: Printing): Promise<boolean> {
  let isGreen = true
  for (const [i, test] of tests.entries()) if (!(await runTest(test, i + 1, printing))) isGreen = false
  return isGreen
}

async function runTest(test: Test, number: number, { lines, indent, realm }: Printing): Promise<boolean> {
  const say = (line: string) => lines.push(indent + line)
  say(`# Subtest: ${test.name}`)
  if (test.skip) {
    say(`ok ${number} - ${test.name} # SKIP`)
    return true
  }
  let error: unknown = null
  let isSkipped = false
  const inner: Test[] = [...(test.children ?? [])]
  const context = {
    skip: () => {
      isSkipped = true
    },
    test: (...given: readonly unknown[]) => {
      inner.push(testOf(given))
      return Promise.resolve()
    },
    mock: { fn: realm.mockFn },
  }
  const began = realm.now()
  try {
    if (test.children === null) await test.body(context)
    realm.throwIfEnded()
    if (realm.now() - began > test.timeout) throw new Error(`test timed out after ${test.timeout}ms`)
  } catch (thrown) {
    // Ends the test even if it catches the exit, since its process has ended.
    realm.throwIfEnded()
    error = thrown
  }
  const isHeld = await runTests(inner, { lines, indent: `${indent}    `, realm })
  if (inner.length > 0) say(`    1..${inner.length}`)
  const isGreen = error === null && isHeld
  const mark = isSkipped ? ' # SKIP' : test.todo ? ' # TODO' : ''
  say(`${isGreen ? 'ok' : 'not ok'} ${number} - ${test.name}${mark}`)
  if (isGreen) return true
  const said = error === null ? 'a subtest failed' : String((error as Error)?.message ?? error)
  say('  ---')
  say('  error: |-')
  for (const line of said.split('\n')) say(`    ${line}`)
  say('  ...')
  return test.todo || isSkipped
}

/** Arguments of `test`: a name, options and a function, each of which may be missing. */
function testOf(given: readonly unknown[], more: Partial<Test> = {}): Test {
  const name = given.find((each) => typeof each === 'string') ?? '<anonymous>'
  const options = (given.find((each) => typeof each === 'object' && each !== null) ?? {}) as Record<string, unknown>
  const body = (given.find((each) => typeof each === 'function') ?? (() => {})) as Body
  return {
    name: name as string,
    body,
    children: null,
    only: Boolean(options.only),
    skip: Boolean(options.skip),
    todo: Boolean(options.todo),
    timeout: Number(options.timeout ?? Number.POSITIVE_INFINITY),
    ...more,
  }
}

function mockFn(real: (...args: readonly unknown[]) => unknown = () => undefined) {
  const calls: { readonly arguments: readonly unknown[] }[] = []
  const fake = (...args: readonly unknown[]) => {
    calls.push({ arguments: args })
    return real(...args)
  }
  return Object.assign(fake, { mock: { calls, callCount: () => calls.length } })
}

/** Globals, modules and tests of one process. */
function createRealm(seen: CommandView, roots: Test[], lines: string[]) {
  let now = 0
  let into = roots
  let ended: number | null = null
  const atExit: ((code: number) => void)[] = []
  const add =
    (more: Partial<Test>) =>
    (...given: readonly unknown[]) => {
      into.push(testOf(given, more))
      return Promise.resolve()
    }
  const suite =
    (more: Partial<Test>) =>
    (...given: readonly unknown[]) => {
      const children: Test[] = []
      const made = testOf(given, { ...more, children })
      const outer = into
      outer.push(made)
      if (made.skip) return
      into = children
      made.body({})
      into = outer
    }
  const family = <T extends (more: Partial<Test>) => object>(make: T) =>
    Object.assign(make({}), { skip: make({ skip: true }), todo: make({ todo: true }), only: make({ only: true }) })
  const [test, describe] = [family(add), family(suite)]
  const console = { log: (...all: readonly unknown[]) => void lines.push(all.join(' ')) }
  const setTimeout = (listener: () => void, ms = 0) => {
    now += ms
    queueMicrotask(listener)
  }
  const context = vm.createContext({ console, URL, setTimeout })
  // Created in the realm of the tests, since its arrays must pass their strict comparisons.
  const fake: typeof mockFn = vm.runInContext(`(${mockFn})`, context)
  const mock = { fn: fake, timers: { enable: () => {} } }
  const forTests = { default: test, test, it: test, describe, suite: describe, mock }
  // A copy, so that changes to a file's assertions do not reach those of the suite.
  const assertions = (from: object) => ({ ...from }) as Record<string, unknown>
  const assert = Object.assign(
    (value: unknown, message?: string) => nodeAssert.ok(value, message ?? 'not truthy'),
    assertions(nodeAssert),
  )
  const strict = Object.assign(
    (value: unknown, message?: string) => nodeAssert.ok(value, message ?? 'not truthy'),
    assertions(nodeAssert.strict),
  )
  const process = {
    env: { CI: '1', HOME: '/home/agent', NODE_TEST_CONTEXT: 'child-v8', ARTIFACT_DIR: '$ARTIFACT_DIR' } as Record<
      string,
      string
    >,
    pid: 42,
    ppid: 41,
    platform: 'linux',
    argv: ['node', 'test'],
    exitCode: 0,
    exit(code = 0): never {
      ended ??= code
      throw new Exit(code)
    },
    on: (event: string, listener: (code: number) => void) => void (event === 'exit' && atExit.push(listener)),
    nextTick: (listener: () => void) => queueMicrotask(listener),
    cwd: () => '/repo',
    getBuiltinModule: (name: string) => (name === 'fs' ? fs : undefined),
  }
  const pathOf = (path: string | { readonly href: string }) =>
    typeof path === 'string' ? path : fileURLToPath(path.href)
  const fs = {
    readFileSync(path: string) {
      const text = seen.read(pathOf(path))
      if (text === null) throw new Error(`ENOENT: no such file or directory, open '${pathOf(path)}'`)
      return text
    },
    existsSync: (path: string) => seen.read(pathOf(path)) !== null,
    writeFileSync: (path: string, text: string) => seen.write(pathOf(path), text),
    appendFileSync: (path: string, text: string) => seen.write(path, `${seen.read(path) ?? ''}${text}`),
  }
  const builtins: Readonly<Record<string, object>> = {
    'node:test': forTests,
    'node:assert': { default: assert, ...assert, strict },
    'node:assert/strict': { default: strict, ...strict },
    'node:fs': { default: fs, ...fs },
  }
  context.process = process
  const modules = new Map<string, Promise<Record<string, unknown>>>()

  function throwIfEnded(): void {
    if (ended !== null) throw new Exit(ended)
  }

  function load(path: string): Promise<Record<string, unknown>> {
    const known = modules.get(path)
    if (known !== undefined) return known
    const made = evaluate(path)
    modules.set(path, made)
    return made
  }

  async function evaluate(path: string): Promise<Record<string, unknown>> {
    const text = seen.read(path)
    if (text === null) throw new Error(`Cannot find module '${path}'`)
    if (path.endsWith('.json')) return { default: JSON.parse(text) }
    const { code, imports } = asFunction(path.endsWith('.ts') ? stripTypeScriptTypes(text) : text)
    const from = (name: string) => {
      const builtin = builtins[name.startsWith('node:') ? name : `node:${name}`]
      if (builtin !== undefined) return Promise.resolve(builtin as Record<string, unknown>)
      if (!name.startsWith('.') && !name.startsWith('/')) throw new Error(`Cannot find package '${name}'`)
      return load(posix.resolve(posix.dirname(path), name))
    }
    const given: Record<string, Record<string, unknown>> = {}
    for (const { name, names } of imports) {
      const found = await from(name)
      const missing = names.find((each) => !(each in found))
      if (missing !== undefined) throw new SyntaxError(`'${name}' does not provide an export named '${missing}'`)
      given[name] = found
    }
    const run = vm.compileFunction(code, ['$imports', '$import', '$meta'], { parsingContext: context, filename: path })
    return run(given, from, { url: `file://${path}`, main: false })
  }

  return { load, atExit, process, mockFn: fake, now: () => now, throwIfEnded }
}

interface ImportStatement {
  readonly name: string
  readonly names: readonly string[]
}

const importing =
  /^import\s+(?:(?<main>[\w$]+)\s*,?\s*)?(?:\*\s+as\s+(?<all>[\w$]+)\s*|\{(?<some>[^}]*)\}\s*)?(?:from\s*)?(['"])(?<name>.+?)\4;?/gm

/** A module as the body of an async function that returns its exports. */
function asFunction(text: string): { readonly code: string; readonly imports: readonly ImportStatement[] } {
  const imports: ImportStatement[] = []
  const exported: string[] = []
  const pairs = (list: string, joint: string) =>
    list.split(',').flatMap((each) => {
      const [from, to = from] = each.trim().split(/\s+as\s+/)
      return from ? [joint === ':' && from === to ? from : `${from}${joint} ${to}`] : []
    })
  const code = text
    .replace(/^import\s+type\b.*$/gm, '')
    .replace(importing, (...found) => {
      const { main, all, some, name = '' } = found.at(-1) as Partial<Record<'main' | 'all' | 'some' | 'name', string>>
      const names = (some ?? '').split(',').flatMap((each) => each.trim().split(/\s+as\s+/)[0] || [])
      imports.push({ name, names: [...(main ? ['default'] : []), ...names] })
      const at = `$imports[${JSON.stringify(name)}]`
      return [
        ...(main ? [`const ${main} = ${at}.default`] : []),
        ...(all ? [`const ${all} = ${at}`] : []),
        ...(some ? [`const { ${pairs(some, ':').join(', ')} } = ${at}`] : []),
      ].join('; ')
    })
    .replace(/^export\s+\{([^}]*)\};?/gm, (_, list: string) => {
      for (const each of pairs(list, ' as')) {
        const [from = '', to = from] = each.split(/\s*as\s+/)
        exported.push(`get ${to.trim()}() { return ${from.trim()} }`)
      }
      return ''
    })
    .replace(/^export\s+default\s+/gm, () => {
      exported.push('get default() { return $default }')
      return 'const $default = '
    })
    .replace(
      /^export\s+(async function\*?|function\*?|const|let|class)\s+([\w$]+)/gm,
      (_, kind: string, name: string) => {
        exported.push(`get ${name}() { return ${name} }`)
        return `${kind} ${name}`
      },
    )
    .replace(/\bimport\(/g, '$import(')
    .replace(/\bimport\.meta\b/g, '$meta')
  return { code: `'use strict'; return (async () => { ${code}\nreturn { ${exported.join(', ')} } })()`, imports }
}
