import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noConversation } from '../../src/agents/conversation.ts'
import type { LaneDependencies } from '../../src/agents/lane.ts'
import { advanceLane } from '../../src/agents/tool-loop.ts'
import { hasTool } from '../../src/agents/tools/offer-of.ts'
import { done, type ReadContext, refuse } from '../../src/agents/tools/tool.ts'
import { DrydockError } from '../../src/domain/drydock-error.ts'
import { type AgentRole, freshLane, type Lane } from '../../src/domain/lane/lane.ts'
import { scoutLimits } from '../../src/domain/lane/next-request.ts'
import { limits } from '../../src/domain/limits.ts'
import type { SandboxSession } from '../../src/ports/sandbox.ts'
import { sessionFiles } from '../../src/workflow/lane/session-files.ts'
import { liveWork } from '../live-work.ts'
import { openSession } from './open-session.ts'

const never = new AbortController().signal

/**
 * One mebibyte: short lines, and one that takes nearly all of it, with characters of two code
 * units.
 */
const mixed = `first\n${'😀ab7'.repeat(149_000)}\n${'short\n'.repeat(400)}`

let folder: string
let session: SandboxSession
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drydock-reads-'))
  for (const name of ['tip', 'coder-001']) await mkdir(join(folder, name))
  await writeFile(join(folder, 'tip/a.ts'), 'old\n')
  await writeFile(join(folder, 'coder-001/a.ts'), 'new\nnewer\n')
  await writeFile(join(folder, 'coder-001/.env'), 'KEY=old')
  await writeFile(join(folder, 'coder-001/mixed.txt'), mixed)
  await writeFile(join(folder, 'coder-001/large.txt'), 'x'.repeat(limits.fileBytes + 1))
  await mkdir(join(folder, 'coder-001/many'))
  for (let n = 0; n <= limits.listResults; n += 1) await writeFile(join(folder, `coder-001/many/${n}.md`), '')
  session = await openSession(folder, 'read')
})
afterAll(async () => {
  await session.close()
  await rm(folder, { recursive: true })
})

/** The context of a review of `coder-001`: its workspace and the tip, nothing else. */
const context: ReadContext = {
  signal: never,
  files: async (coder) =>
    coder === undefined || coder === 'coder-001'
      ? { ok: true, files: sessionFiles(session, join(folder, coder ?? 'tip')) }
      : { ok: false, outcome: refuse(`${coder} is not the coder of this request`) },
  diff: async (of) => done(JSON.stringify(of)),
  artifact: async (reference) => done(`log of ${reference}\n`),
  output: async (name) => done(`output ${name}\n`),
  messages: async () => done('3 human: Use tabs.'),
}

/** Runs one call as a lane does. */
async function answer(tool: string, input: object, role: AgentRole = 'architect_review') {
  const lane = laneOf(role, tool, input)
  const own = role.startsWith('architect') ? context : { ...context, files: () => context.files('coder-001') }
  const reading = { ...own, has: hasTool(lane.data) }
  const step = await advanceLane(
    lane,
    dependencies(async () => reading),
    never,
  )
  return { ok: step.toolExecutions?.[0]?.success, output: step.toolExecutions?.[0]?.result }
}

function laneOf(role: AgentRole, tool: string, input: object): Lane {
  return {
    id: 'run/lane',
    kind: 'lane',
    run: 'run',
    story: 'parser',
    state: 'ACTING',
    version: 1,
    data: {
      key: 'architect/REQUEST/code/parser/1',
      role,
      parent: 'request',
      system: '',
      limits: scoutLimits(),
      ...freshLane,
      turn: 1,
      iterations: 1,
      calls: [{ id: 'call', tool, input: { ...input } }],
    },
  }
}

function dependencies(readContext: LaneDependencies['readContext']): LaneDependencies {
  return {
    live: liveWork(),
    model: { id: 'none', reply: () => Promise.reject(new Error('no model is asked here')) },
    redact: String,
    clock: { now: () => new Date(), random: () => 0 },
    patience: { clock: { now: () => new Date(), random: () => 0 }, hasAnswered: async () => true, maxWaitMs: 1_000 },
    conversation: noConversation,
    contextWindow: null,
    facts: {},
    news: null,
    guides: null,
    toolTimeoutSec: 20,
    readContext,
    editContext: () => Promise.reject(new Error('a read opens nothing that can write')),
    started: async () => null,
    start: async () => {},
  }
}

describe('the architect', () => {
  const coder = { coder_id: 'coder-001' }

  test('reads the workspace that it names, and the tip when it names none', async () => {
    expect(await answer('read_file', { path: 'a.ts' })).toEqual({ ok: true, output: '1\told' })
    expect(await answer('read_file', { path: 'a.ts', offset: 2, ...coder })).toEqual({ ok: true, output: '2\tnewer' })
    expect(await answer('list_files', { pattern: '*.ts' })).toEqual({ ok: true, output: 'a.ts' })
    expect(await answer('search_files', { pattern: 'new', ...coder })).toEqual({
      ok: true,
      output: 'a.ts:1: new\na.ts:2: newer',
    })
    expect(await answer('search_files', { pattern: 'new' })).toEqual({ ok: true, output: '(no match)' })
  })

  test('is refused a workspace that is not to be reached, by every tool', async () => {
    const refused = { ok: false, output: 'coder-002 is not the coder of this request' }
    const other = { coder_id: 'coder-002' }
    expect(await answer('read_file', { path: 'a.ts', ...other })).toEqual(refused)
    expect(await answer('list_files', { pattern: '*', ...other })).toEqual(refused)
    expect(await answer('search_files', { pattern: 'new', ...other })).toEqual(refused)
  })

  test('reads a whole file by following each answer, even through a line that is longer than an answer', async () => {
    let read = ''
    let range: object | null = {}
    let line = 0
    for (let calls = 0; range !== null && calls < 100; calls += 1) {
      const { ok, output: said } = await answer('read_file', { path: 'mixed.txt', ...range, ...coder })
      const output = said ?? ''
      expect([ok, output.length <= limits.toolResultChars]).toEqual([true, true])
      const rows = output.split('\n')
      const [, offset, column] = /continue with offset (\d+)(?:, column (\d+))?\)$/.exec(rows.at(-1) ?? '') ?? []
      for (const row of offset === undefined ? rows : rows.slice(0, -1)) {
        const [number = '', text = ''] = row.split('\t')
        read += Number(number) === line ? text : `${line === 0 ? '' : '\n'}${text}`
        line = Number(number)
      }
      range = offset === undefined ? null : { offset: Number(offset), ...(column && { column: Number(column) }) }
    }
    expect(Buffer.byteLength(mixed)).toBeGreaterThan(1_000_000)
    expect(`${read}\n` === mixed).toBe(true)
  })

  test('is held to the same limits as everybody who reads', async () => {
    const large = await answer('read_file', { path: 'large.txt', ...coder })
    expect(large).toMatchObject({ ok: false, output: expect.stringContaining('large.txt') })
    expect(large.output).toMatch(/search_files finds lines in it$/)
    const editors = await answer('read_file', { path: 'large.txt' }, 'editor_coding')
    expect(editors.output).toContain('run_command shows a part')
    const scouts = await answer('read_file', { path: 'large.txt' }, 'codebase_scout')
    expect(scouts.output).not.toContain('run_command')
    const secret = await answer('read_file', { path: '.env', ...coder })
    expect(secret).toMatchObject({ ok: false, output: expect.stringContaining('hold secrets') })
    expect(await answer('search_files', { pattern: 'old', ...coder })).toEqual({ ok: true, output: '(no match)' })
    const many = await answer('list_files', { pattern: '*.md', ...coder })
    const lines = many.output?.split('\n') ?? []
    expect(lines.length).toBe(limits.listResults + 1)
    expect(lines.at(-1)).toBe(`(cut at ${limits.listResults}; use a narrower pattern)`)
  })

  test('sees the diff of a coder that it has to name', async () => {
    const of = { coder_id: 'coder-001', path: 'src', base: 'abcdef0' }
    expect(await answer('get_diff', of)).toEqual({
      ok: true,
      output: JSON.stringify({ coderId: 'coder-001', path: 'src', base: 'abcdef0' }),
    })
    expect(await answer('get_diff', {})).toMatchObject({ ok: false, output: expect.stringContaining('coder_id') })
  })

  test('reads the logs and the thread that the workflow shows', async () => {
    const log = 'run_20310101_000000_aaaaaa/logs/combined.log'
    expect(await answer('read_file', { path: `artifact:${log}` })).toEqual({ ok: true, output: `1\tlog of ${log}` })
    expect(await answer('read_messages', {})).toEqual({ ok: true, output: '3 human: Use tabs.' })
  })
})

test('an editor reads its own workspace, whichever it names', async () => {
  for (const [tool, input] of Object.entries({
    read_file: { path: 'a.ts' },
    list_files: { pattern: '*' },
    search_files: { pattern: 'new' },
    get_diff: {},
  }))
    expect(await answer(tool, { ...input, coder_id: 'coder-001' }, 'editor_coding')).toEqual(
      await answer(tool, input, 'editor_coding'),
    )
})

describe('a failure that a person must hear of', () => {
  const failing = (code: 'git_failed' | 'architect_sandbox_ended') =>
    advanceLane(
      laneOf('architect_review', 'read_file', { path: 'a.ts' }),
      dependencies(() => Promise.reject(new DrydockError(code, 'It failed', { todo: 'Look.' }))),
      never,
    )

  test('is the result of a read', async () => {
    expect((await failing('git_failed')).toolExecutions?.[0]).toMatchObject({ success: false, result: 'It failed' })
  })

  test('is none when the architect can read nothing any more', async () => {
    await expect(failing('architect_sandbox_ended')).rejects.toMatchObject({ code: 'architect_sandbox_ended' })
  })
})
