import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { repositorySchema, userSchema } from '../src/config/schema.ts'
import { hostedProviders, localProviders } from '../src/domain/providers.ts'
import { runHere } from './scenarios/world/fixture.ts'

const root = resolve(import.meta.dirname, '..')

interface Page {
  readonly path: string
  /** The text without code: a reader's prose and links. */
  readonly prose: string
  readonly fences: readonly { readonly language: string; readonly code: string }[]
  readonly spans: readonly string[]
  readonly lines: readonly string[]
}

const fence = /^```(\w*)\n(.*?)^```$/gms
const span = /`([^`\n]+)`/g

/**
 * The pages for readers; the founding documents are kept word for word, even where they differ from
 * Drydock.
 */
const pages: readonly Page[] = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  'docs/founding/README.md',
].map((path) => {
  const text = readFileSync(join(root, path), 'utf8')
  const withoutFences = text.replaceAll(fence, '')
  return {
    path,
    prose: withoutFences.replaceAll(span, '``'),
    fences: [...text.matchAll(fence)].map(([, language = '', code = '']) => ({ language, code })),
    spans: [...withoutFences.matchAll(span)].map(([, code = '']) => code),
    lines: text.split('\n'),
  }
})

describe.each(pages)('$path', ({ path, prose, fences, spans, lines }) => {
  test('leads nowhere that is not there', () => {
    const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
    const dead = targets.filter((target) => !/^https?:/.test(target) && !isThere(target, path))
    expect(dead).toEqual([])
  })

  test('names no command and no option that the program does not have', async () => {
    const code = [...spans, ...fences.filter(({ language }) => language === 'sh').map((each) => each.code)]
    const used = code.flatMap(commandLines)
    const unknown = await Promise.all(used.map(async (line) => ((await isKnown(line)) ? [] : [line])))
    expect(unknown.flat()).toEqual([])
  })

  test('shows configuration that Drydock accepts', () => {
    const shown = [
      ...fences
        .filter(({ language }) => /^jsonc?$/.test(language))
        .map(({ code }) => code.replaceAll(/^\s*\/\/.*$/gm, '')),
      ...fences.flatMap(({ code }) => [...code.matchAll(/'(\{ ".*\})'/g)].map(([, json = '']) => json)),
      ...spans.filter((text) => /^\{ "(models|providers|notify|sandbox|budget)": .*\}$/.test(text)),
    ]
    for (const json of shown) expect(faultsOf(JSON.parse(json)), json).toEqual([])
  })

  test('has lines that fit a screen, but for tables', () => {
    expect(lines.filter((line) => line.length > 160 && !line.startsWith('|'))).toEqual([])
  })
})

describe('CHANGELOG.md', () => {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const versions = changelog
    .split(/^## /m)
    .slice(1)
    .filter((section) => /^\d/.test(section))

  test('has this version on top, and at most 15 lines for each', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(versions[0]?.split('\n')[0]?.replace(/ \(\d{4}-\d\d-\d\d\)$/, '')).toBe(version)
    const counts = versions.map((section) => section.match(/^- /gm)?.length ?? 0)
    expect(counts.filter((count) => count < 5 || count > 15)).toEqual([])
  })

  test('leads nowhere that is not there, in lines that fit a screen', () => {
    const targets = [...changelog.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
    expect(targets.filter((target) => !isThere(target, 'CHANGELOG.md'))).toEqual([])
    expect(changelog.split('\n').filter((line) => line.length > 160)).toEqual([])
  })
})

describe('before the first result', () => {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const later = 'architect,scout,merge queue,replan,escalation,receipt,resume,lane,slot,snapshot,hub,finding'.split(',')

  test('README.md needs no word that only the crew needs', () => {
    const text = read('README.md')
    const before = text.slice(0, text.indexOf('npm run demo')).toLowerCase()
    expect(later.filter((word) => before.includes(word))).toEqual([])
  })

  test('docs/tutorial.md explains seven words, and uses none of those that come later', () => {
    const text = read('docs/tutorial.md')
    const [intro = ''] = text.split('\n## ')
    expect(intro.match(/\*\*[^*]+\*\*/g)?.length).toBe(7)
    const before = text.slice(0, text.indexOf('## Look at it, take it')).toLowerCase()
    expect([...later, 'story', 'crew', 'verifier'].filter((word) => before.includes(word))).toEqual([])
  })
})

test('docs/README.md leads to every page', () => {
  const index = readFileSync(join(root, 'docs/README.md'), 'utf8')
  const missing = pages
    .map(({ path }) => relative('docs', path))
    .filter((path) => !path.startsWith('..') && path !== 'README.md' && !index.includes(`](${path})`))
  expect(missing).toEqual([])
})

test.each([
  ...Object.entries(hostedProviders).map(([name, { example, keyEnv }]) => [`${name}:${example}`, keyEnv]),
  ...Object.entries(localProviders).map(([name, { port }]) => [`${name}:`, name === 'ollama' ? '' : String(port)]),
])('docs/providers.md has a row for %s', (model, fact) => {
  const rows = readFileSync(join(root, 'docs/providers.md'), 'utf8').split('\n')
  expect(rows.find((row) => row.startsWith('|') && row.includes(`\`${model}`))).toContain(fact)
})

function isThere(target: string, from: string): boolean {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? join(root, from) : join(root, dirname(from), path)
  if (!existsSync(file)) return false
  return anchor === undefined || anchorsOf(readFileSync(file, 'utf8')).includes(anchor)
}

/** The anchors that GitHub makes of headings. */
function anchorsOf(text: string): readonly string[] {
  return [...text.replaceAll(fence, '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  )
}

interface CommandLine {
  /** Null for options of the program itself. */
  readonly command: string | null
  readonly options: readonly string[]
}

/** The calls of Drydock in code, each with its options up to the end of the call. */
function commandLines(code: string): readonly CommandLine[] {
  const said = code.replaceAll(/\s#.*$/gm, '').replaceAll('\\\n', ' ')
  return [...said.matchAll(/(?:^|[\s(/"&|])drydock (?=[a-z-])([^\n;|&]*)/g)].map(([, rest = '']) => {
    const words = rest.replaceAll(/"[^"]*"/g, '""').split(/[\s,]+/)
    const command = words[0]?.startsWith('-') ? null : (words[0] ?? null)
    return { command, options: words.flatMap((word) => /^(--[a-z-]+)/.exec(word)?.[1] ?? []) }
  })
}

const helps = new Map<string, Promise<string>>()

function helpOf(command: string | null): Promise<string> {
  const args = command === null ? ['--help'] : [command, '--help']
  const asked = helps.get(args.join(' ')) ?? runHere(args, { HOME: '/' }).then(({ stdout, stderr }) => stdout + stderr)
  helps.set(args.join(' '), asked)
  return asked
}

async function isKnown({ command, options }: CommandLine): Promise<boolean> {
  if (command === 'help') return true
  const help = await helpOf(command)
  const known = new Set(help.match(/--[a-z-]+/g))
  return (command === null || help.startsWith(`Usage: drydock ${command} `)) && options.every((each) => known.has(each))
}

/** The objections of the configuration schema to which this example belongs. */
function faultsOf(shown: Record<string, unknown>): readonly string[] {
  // Examples for other programs are skipped.
  if ('mcpServers' in shown || 'agent_servers' in shown || Object.hasOwn(shown.mcp ?? {}, 'drydock')) return []
  const schema = Object.keys(shown).every((key) => key in repositorySchema.shape) ? repositorySchema : userSchema
  return schema.safeParse(shown).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []
}
