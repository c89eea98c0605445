import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SandboxSpec } from '../../../src/ports/sandbox.ts'
import { architectSpec } from '../../../src/workflow/architect/architect-sandbox.ts'
import { agentSpec } from '../../../src/workflow/lane/sandboxes.ts'
import { makeVerifierWorld, type VerifierWorld } from '../../gate/verifier-world.ts'

/** The table in the documentation: sandbox, visible paths, access. */
const rows = readFileSync(new URL('../../../docs/architecture.md', import.meta.url), 'utf8')
  .split('\n')
  .map((line) => /^\| (architect|editor|each)([^|]*)\| ([^|]*)\| (read|write) \|$/.exec(line)?.slice(1) ?? [])
  .flatMap(([who = '', rest = '', shows = '', access = '']) =>
    who === '' ? [] : [{ sandbox: `${who}${rest}`.trim(), paths: pathsOf(shows), access }],
  )

/** `$ARTIFACT_DIR` and its folders, or literal paths. */
function pathsOf(shows: string): readonly string[] {
  const quoted = [...shows.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path.replace('NNN', '002'))
  const folder = quoted.find((path) => path.startsWith('$'))
  return folder === undefined || quoted.length === 1
    ? quoted
    : quoted.filter((path) => path !== folder).map((path) => `${folder}/${path}`)
}

let world: VerifierWorld
beforeAll(async () => {
  world = await makeVerifierWorld()
  await world.workTrees.initialize(['coder-001', 'coder-002'])
})

afterAll(() => world.close())

const rowsOf = (sandbox: string) => rows.filter((row) => row.sandbox.startsWith(sandbox))

/** A command that tells for each path of the rows whether it is writable. */
const look = (sandbox: string) =>
  rowsOf(sandbox)
    .flatMap(({ paths }) => paths)
    .map(
      (path) => `if [ -w "${path}" ]; then echo "${path} write"; elif [ -r "${path}" ]; then echo "${path} read"; fi`,
    )
    .join('; ')

const expected = (sandbox: string) =>
  rowsOf(sandbox).flatMap(({ paths, access }) => paths.map((path) => `${path} ${access}`))

async function seen(sandbox: string, spec: SandboxSpec): Promise<readonly string[]> {
  const result = await world.sandbox.open(spec, world.signal)
  if (!result.ok) throw new Error(result.error.errorMessage)
  const run = { op: 'run', command: look(sandbox), timeoutMs: 60_000, maxBytes: 9_000 } as const
  const reply = await result.value.request(run, world.signal)
  await result.value.close()
  if (!reply.ok) throw new Error(reply.message)
  return reply.value.output.trim().split('\n')
}

test('the table of the documentation has every sandbox', () => {
  expect([...new Set(rows.map(({ sandbox }) => sandbox))]).toEqual([
    'architect, one for the state',
    'editor in PLANNING, scouts',
    'editor in CODING',
    'each verification step',
  ])
})

test('the architect sees every workspace and the mirror, and can write none', async () => {
  const spec = architectSpec({ ...world, slots: ['coder-001', 'coder-002'], mirror: `${world.state}/mirror.git` })
  expect(await seen('architect', spec)).toEqual(expected('architect'))
})

test.each([
  ['editor in PLANNING', 'read'],
  ['editor in CODING', 'write'],
] as const)('the %s sees its workspace', async (sandbox, access) => {
  const { workTrees } = world
  const workspace = { folder: workTrees.path('coder-001'), history: workTrees.history('coder-001') }
  const spec = agentSpec({ ...workspace, access, readOnlyPaths: [] })
  expect(await seen(sandbox, spec)).toEqual(expected(sandbox))
})

test('a verification step sees the checkout and its folder, and writes only in four of that', async () => {
  const { tail_log: log } = await world.ask(look('each verification step').replaceAll(/echo "(\$\S+)/g, "echo '$1'\""))
  const lines = log?.split('\n') ?? []
  for (const line of expected('each verification step')) expect(lines).toContain(line)
})
