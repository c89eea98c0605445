import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { createBubblewrap } from '../../../src/adapters/sandbox/bubblewrap.ts'
import { noConversation } from '../../../src/agents/conversation.ts'
import type { LaneDependencies } from '../../../src/agents/lane.ts'
import { advanceLane } from '../../../src/agents/tool-loop.ts'
import { toolsOf } from '../../../src/agents/tools/registry.ts'
import { done, type ToolContext } from '../../../src/agents/tools/tool.ts'
import { type AgentRole, freshLane, type Lane } from '../../../src/domain/lane/lane.ts'
import { scoutLimits } from '../../../src/domain/lane/next-request.ts'
import { limits } from '../../../src/domain/limits.ts'
import type { SandboxSession } from '../../../src/ports/sandbox.ts'
import { sessionFiles } from '../../../src/workflow/lane/session-files.ts'
import { liveWork } from '../../live-work.ts'
import { expectClearError } from '../clear-error.ts'
import { damaged, nasty, nastyJson } from '../nasty.ts'
import type { FuzzTarget } from '../target.ts'

interface Input {
  readonly role: AgentRole
  readonly tool: string
  readonly input: unknown
}

const canary = 'canary-of-another-workspace'
const never = new AbortController().signal

const segment = fc.oneof(
  fc.constantFrom(
    'a.txt',
    'dir',
    'b.txt',
    'out',
    'secret',
    'outside',
    '..',
    '..',
    '.',
    '.git',
    '.GIT',
    'config',
    'new',
    'loop',
    '',
  ),
  nasty,
)
const path = fc
  .tuple(fc.constantFrom('', '/', './', '/repo/', 'artifact:'), fc.array(segment, { minLength: 1, maxLength: 5 }))
  .map(([start, parts]) => start + parts.join('/'))
const patchOf = ([verb, name, to, text]: readonly [string, string, string | null, string]): string => {
  const move = to === null ? '' : `*** Move to: ${to}\n`
  const lines = { Add: `+${text}\n`, Delete: '', Update: `${move}@@\n-one\n+${text}\n two\n` }[verb]
  return `*** ${verb} File: ${name}\n${lines}`
}
const samples: Readonly<Record<string, fc.Arbitrary<object>>> = {
  read_file: fc.record({ path, offset: fc.nat(3), limit: fc.nat(3) }),
  write_file: fc.record({ path, content: nasty }),
  edit_file: fc.record({ path, old: fc.constantFrom('one', 'a', '\n', ''), new: nasty }),
  apply_patch: fc
    .array(fc.tuple(fc.constantFrom('Add', 'Delete', 'Update'), path, fc.option(path), nasty), { maxLength: 3 })
    .map((files) => ({ patch: `*** Begin Patch\n${files.map(patchOf).join('')}*** End Patch` })),
  move_file: fc.record({ from: path, to: path }),
  delete_file: fc.record({ path }),
  list_files: fc.record({ pattern: path }),
  search_files: fc.record({
    pattern: fc.oneof(fc.constantFrom('canary', '.', '(', '[', '--pre=sh'), nasty),
    glob: path,
  }),
  get_diff: fc.record({ path, base: nasty }),
}
const edits = ['read_file', 'write_file', 'edit_file', 'apply_patch', 'move_file', 'delete_file']

const inputs: fc.Arbitrary<Input> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...edits).chain(of) },
  { weight: 1, arbitrary: fc.constantFrom('list_files', 'search_files', 'get_diff').chain(of) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom<AgentRole>('editor_coding', 'editor_planning', 'architect_review', 'codebase_scout')
      .chain(ofAny),
  },
)

function of(tool: string): fc.Arbitrary<Input> {
  const input = fc.oneof(
    { weight: 5, arbitrary: samples[tool] ?? fc.constant({}) },
    damaged(samples[tool] ?? fc.constant({})),
  )
  return input.map((each) => ({ role: 'editor_coding', tool, input: each }))
}

/** Any tool of a role except commands, and one that does not exist, with any input. */
function ofAny(role: AgentRole): fc.Arbitrary<Input> {
  const names = toolsOf(role).map(({ name }) => name)
  const tools = names.filter((name) => name !== 'run_command' && name !== 'search_files' && name !== 'list_files')
  return fc
    .tuple(fc.constantFrom(...tools, 'no_tool', '__proto__'), nastyJson)
    .map(([tool, input]) => ({ role, tool, input }))
}

/**
 * Any tool call of a model: nothing outside its workspace is read or changed, and the answer names
 * the fault.
 */
export const toolArguments: FuzzTarget<Input> = {
  name: 'tool-arguments',
  async open() {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-fuzz-'))
    for (const each of ['workspace', 'outside']) mkdirSync(join(folder, each))
    fill(folder)
    // Files next to the workspace are reachable inside, so that only the tools themselves protect
    // them.
    const spec = { mounts: [{ path: folder, access: 'write' as const }], cwd: join(folder, 'workspace'), env: {} }
    const opened = await createBubblewrap({ hostPath: process.env.PATH ?? '' }).open(
      { ...spec, limits: limits.sandbox },
      never,
    )
    if (!opened.ok) throw new Error(opened.error.errorMessage)
    const session = opened.value
    return {
      inputs,
      async check(given) {
        fill(folder)
        const step = await advanceLane(laneOf(given), dependencies(session), never)
        const { success, result } = step.toolExecutions?.[0] ?? {}
        expect(JSON.stringify([result, step.messages])).not.toContain(canary)
        expect(around(folder)).toEqual(untouched)
        if (success === false) expectClearError(result ?? '')
      },
      async close() {
        await session.close()
        rmSync(folder, { recursive: true })
      },
    }
  },
}

function fill(folder: string): void {
  const workspace = join(folder, 'workspace')
  for (const name of readdirSync(workspace)) rmSync(join(workspace, name), { recursive: true, force: true })
  for (const name of ['.git', 'dir']) mkdirSync(join(workspace, name))
  writeFileSync(join(workspace, '.git/config'), '[core]\n')
  writeFileSync(join(workspace, 'a.txt'), 'one\ntwo\n')
  writeFileSync(join(workspace, 'dir/b.txt'), 'a\r\nb\r\n')
  symlinkSync('../outside', join(workspace, 'out'))
  symlinkSync('../outside/secret', join(workspace, 'secret'))
  symlinkSync('loop', join(workspace, 'loop'))
  writeFileSync(join(folder, 'outside/secret'), canary)
}

const untouched = {
  beside: ['outside', 'workspace'],
  outside: ['secret'],
  secret: canary,
  git: ['config'],
  config: '[core]\n',
}

function around(folder: string) {
  return {
    beside: readdirSync(folder).toSorted(),
    outside: readdirSync(join(folder, 'outside')),
    secret: readFileSync(join(folder, 'outside/secret'), 'utf8'),
    git: readdirSync(join(folder, 'workspace/.git')),
    config: readFileSync(join(folder, 'workspace/.git/config'), 'utf8'),
  }
}

function laneOf({ role, tool, input }: Input): Lane {
  return {
    id: 'run/lane',
    kind: 'lane',
    run: 'run',
    story: 'task',
    state: 'ACTING',
    version: 1,
    data: {
      key: 'editor/task/CODING',
      role,
      parent: 'request',
      system: '',
      limits: scoutLimits(),
      ...freshLane,
      turn: 1,
      iterations: 1,
      calls: [{ id: 'call', tool, input: input as never }],
    },
  }
}

function dependencies(session: SandboxSession): LaneDependencies {
  const context: ToolContext = {
    session,
    signal: never,
    ignored: async () => [],
    files: async () => ({ ok: true, files: sessionFiles(session) }),
    diff: async (wanted) => done(JSON.stringify(wanted)),
    artifact: async () => done('a log\n'),
    output: async () => done('an output\n'),
    callName: '1-1',
    keepOutput: async () => null,
    messages: async () => done('none'),
  }
  return {
    live: liveWork(),
    model: { id: 'none', reply: () => Promise.reject(new Error('no model is asked here')) },
    clock: { now: () => new Date(0), random: () => 0 },
    patience: { clock: { now: () => new Date(0), random: () => 0 }, hasAnswered: async () => true, maxWaitMs: 1_000 },
    redact: (text: string) => text,
    conversation: noConversation,
    contextWindow: null,
    facts: {},
    news: null,
    guides: null,
    toolTimeoutSec: 20,
    readContext: async () => context,
    editContext: async () => context,
    started: async () => null,
    start: async () => {},
  }
}
