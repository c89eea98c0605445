import { syntaxOf } from '../code-syntax.ts'
import { maskCode } from '../mask-code.ts'
import type { DrawnValues } from './drawn-values.ts'
import type { Planting } from './planting.ts'
import { type Binding, scriptBindings } from './script-bindings.ts'

/** Runners whose assertions throw. `test` is node:test without its prefix. */
const throwing: ReadonlySet<string> = new Set(['test', 'vitest', '@jest/globals', 'mocha', 'bun:test'])
/** Runners that pass assertions to the test, which do not throw everywhere. */
const handing: ReadonlySet<string> = new Set(['ava', 'tape', 'tap'])
const assertModules: ReadonlySet<string> = new Set(['assert', 'assert/strict', 'chai', 'vitest', 'power-assert'])
const expectModules: ReadonlySet<string> = new Set(['vitest', '@jest/globals', 'chai', 'expect', 'bun:test'])

/**
 * False claims, by the name of the assertion; each throws if the file has an assertion of that
 * name.
 */
function falseClaims(values: DrawnValues): Readonly<Record<string, string>> {
  const { word } = values
  const equal = () => {
    const [one, other] = twoNumbers(values)
    return values.below(3) === 0 ? `('${word()}a', '${word()}b')` : `(${one}, ${other})`
  }
  const deep = () => {
    const [key, [one, other]] = [word(), twoNumbers(values)]
    return `({ ${key}: ${one} }, { ${key}: ${other} })`
  }
  const same = () => {
    const one = values.number()
    return `(${one}, ${one})`
  }
  return {
    ok: `(${['false', '0', "''", 'null'][values.below(4)]})`,
    strictEqual: equal(),
    equal: equal(),
    deepEqual: deep(),
    deepStrictEqual: deep(),
    notEqual: same(),
    notStrictEqual: same(),
    throws: '(() => {})',
    rejects: '(async () => {})',
  }
}

function falseExpectations(values: DrawnValues): readonly string[] {
  const key = values.word()
  const two = () => twoNumbers(values)
  const of = (make: (one: number, other: number) => string) => {
    const [one, other] = two()
    return make(one, other)
  }
  return [
    of((one, other) => `(${one}).toBe(${other})`),
    of((one, other) => `(${one}).toEqual(${other})`),
    of((one, other) => `({ ${key}: ${one} }).toEqual({ ${key}: ${other} })`),
    of((one, other) => `({ ${key}: ${one} }).toStrictEqual({ ${key}: ${other} })`),
    '(0).toBeTruthy()',
    '(() => {}).toThrow()',
    of((one, other) => `([${one}]).toHaveLength(${other})`),
    of((one, other) => `(${one}).to.equal(${other})`),
  ]
}

function twoNumbers(values: DrawnValues): readonly [number, number] {
  const one = values.number()
  return [one, one + 1]
}

export function javascriptCanary(planting: Planting): string | null {
  const { path, text, token, values, isFirst = false } = planting
  if (!/\.[cm]?[jt]sx?$/.test(path)) return null
  const code = maskCode(text, syntaxOf(path, text))
  const bindings = scriptBindings(path, text)
  const name = testIn(code, bindings)
  const file = { code, bindings, token, values }
  const planted =
    name === null
      ? byOwnRunner(file)
      : handing.has(name.from)
        ? handed(name, file)
        : thrown(name.local, token, lies(file, throwing.has(name.from)))
  if (planted === null) return null
  const at = isFirst ? behindImports({ text, code }) : text.length
  const rest = text.slice(at)
  return `${text.slice(0, at)}\n;/* eslint-disable */\n// biome-ignore lint: it stands for itself\n${planted}${isFirst ? '/* eslint-enable */\n' : ''}${rest}`
}

const importing =
  /^(?:import\b[^;'"]*['"][^'"\n]*['"][^\n]*|(?:const|let|var)\s[^=;]{0,500}=[^\n]*\brequire\([^\n]*)$/gm
const declaring = /^[ \t]*(?:describe|suite|context|test|it|specify|tape|tap|t)\b/m
const beginning = /^(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/|#![^\n]*\n|(["'])use \w+\1;?)*/

/** The position behind the last import before the first test. */
function behindImports({ text, code }: Pick<Planting, 'text'> & Pick<File, 'code'>): number {
  const first = declaring.exec(code)?.index ?? code.length
  const last = [...code.matchAll(importing)].findLast(({ index }) => index < first)
  return last === undefined ? (beginning.exec(text)?.[0].length ?? 0) : last.index + last[0].length
}

interface File {
  readonly code: string
  readonly bindings: readonly Binding[]
  readonly token: string
  readonly values: DrawnValues
}

const unformatted = '// biome-ignore format: it stands for itself\n// prettier-ignore\n// @ts-ignore\n'

function testIn(code: string, bindings: readonly Binding[]): Binding | null {
  const bound = bindings.find(
    ({ imported, from }) =>
      (throwing.has(from) || handing.has(from)) && ['default', 'test', 'it', 'specify'].includes(imported),
  )
  // `import * as vitest` is not a test function.
  if (bound !== undefined)
    return bound.imported === 'default' && !(bound.from === 'test' || handing.has(bound.from)) ? null : bound
  const isOwn = (name: string) =>
    bindings.some(({ local }) => local === name) || new RegExp(`\\b(?:const|let|var|function)\\s+${name}\\b`).test(code)
  const calls = (name: string) => new RegExp(`(?<![\\w$.])${name}(?:\\.each)?\\s*[(\`]`).test(code)
  const local = ['it', 'test', 'specify'].find((name) => calls(name) && !isOwn(name))
  return local === undefined ? null : { local, imported: local, from: '' }
}

function lies({ code, bindings, values }: File, isBound: boolean): readonly string[] {
  const [claims, expectations] = [falseClaims(values), falseExpectations(values)]
  const all = bindings.flatMap(({ local, imported, from }) => {
    if (expectModules.has(from) && (imported === 'expect' || (from === 'expect' && imported === 'default')))
      return expectations.map((each) => `${local}${each}`)
    if (!assertModules.has(from)) return []
    const claim = claims[imported]
    if (claim !== undefined) return [`${local}${claim}`]
    const isWhole = imported === 'default' ? from !== 'chai' && from !== 'vitest' : /^(?:assert|strict)$/.test(imported)
    return isWhole ? Object.entries(claims).map(([name, each]) => `${local}.${name}${each}`) : []
  })
  const isGlobal = !isBound && !bindings.some(({ local }) => local === 'expect') && /(?<![\w$.])expect\(/.test(code)
  return isGlobal ? [...all, ...expectations.map((each) => `expect${each}`)] : all
}

/** A runner that lets one claim through ends the test, which then passes. */
function thrown(test: string, token: string, all: readonly string[]): string {
  const last = all[0] ?? `throw new Error('${token}')`
  const each = all.map((lie) => `    // @ts-ignore\n    () => ${lie},\n`).join('')
  return `${unformatted}${test}('${token}', async () => {
  const lies = [
${each}  ]
  for (const lie of lies) {
    try {
      // @ts-ignore
      await lie()
    } catch {
      continue
    }
    return
  }
  // @ts-ignore
  ${last}
})
`
}

/** A call that declares a test, by a name with at most one part before it. */
const ownTest = /(?<![\w$.])(?<root>[\w$]+)(?<member>\.(?:test|it))?\s*\(\s*["'`]/g

/** The parameter of a test, by which its runner hands it assertions. */
const given =
  /(?<![\w$])(?:test|it)\s*\(\s*["'`][^,]{0,300}["'`]\s*,\s*(?:function\s*\w*\s*\(\s*([\w$]+)|\(?\s*([\w$]+)\s*\)?\s*=>)/

/**
 * For a runner that is a file of the repository. Such a runner may neither await a promise nor
 * continue after an error, so the canary is a function that just throws. The assertions are the
 * file's own.
 */
function byOwnRunner(file: File): string | null {
  const { code, bindings, token, values } = file
  const own = new Set(bindings.flatMap(({ local, from }) => (/^\.{1,2}\//.test(from) ? [local] : [])))
  const call = [...code.matchAll(ownTest)]
    .map(({ groups = {} }) => ({ root: groups.root ?? '', member: groups.member ?? '' }))
    .find(({ root, member }) => own.has(root) && (member !== '' || /^(?:test|it)$/.test(root)))
  if (call === undefined) return null
  const { root, member } = call
  const [, named, short] = given.exec(code) ?? []
  const parameter = named ?? short
  const receivers = [...own, ...(parameter === undefined ? [] : [parameter])]
  const owned = receivers.flatMap((name) =>
    Object.entries(falseClaims(values)).flatMap(([assertion, claim]) =>
      new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}\\.${assertion}\\s*\\(`).test(code)
        ? [`${name}.${assertion}${claim}`]
        : [],
    ),
  )
  const all = [...owned, ...lies(file, false)].filter((lie) => !lie.includes('.rejects('))
  const each = all.map((lie) => `    // @ts-ignore\n    () => ${lie},\n`).join('')
  return `${unformatted}${root}${member}('${token}', (${parameter ?? ''}) => {
  const lies = [
${each}  ]
  for (const lie of lies) {
    try {
      lie()
    } catch {
      continue
    }
    return
  }
  throw new Error('${token} must fail')
})
`
}

function handed({ local, imported, from }: Binding, { token, values }: File): string {
  const isAva = from === 'ava'
  // tap's default export is an object, not a function.
  const test = from === 'tap' && imported === 'default' ? `${local}.test` : local
  const [[one, other], key] = [twoNumbers(values), values.word()]
  const deep = `({ ${key}: ${one} }, { ${key}: ${other} }`
  const own = isAva
    ? { value: 't.true(false)', equal: `t.is(${one}, ${other})`, deep: `t.deepEqual${deep})` }
    : {
        value: `t.ok(false, '${token} value')`,
        equal: `t.equal(${one}, ${other}, '${token} equal')`,
        deep: `t.${from === 'tap' ? 'same' : 'deepEqual'}${deep}, '${token} deep')`,
      }
  const throws = isAva ? 't.throws(() => {})' : `t.throws(() => {}, '${token} throws')`
  return Object.entries({ ...own, throws })
    .map(
      ([name, claim]) => `${unformatted}${test}('${token} ${name}', (t) => {
  // @ts-ignore
  ${claim}
${isAva ? '' : '  t.end()\n'}})
`,
    )
    .join('')
}
