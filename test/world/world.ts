import { follow } from '../../src/app/wait/follow.ts'
import type { Command } from '../../src/domain/command.ts'
import type { Event } from '../../src/domain/event.ts'
import type { Result } from '../../src/domain/run/result.ts'
import { createMemoryDrydock, type MemoryDrydock } from './drydock.ts'
import { revision } from './git.ts'
import { createPlayedModel, type Lanes, type Turn } from './model.ts'
import { textOf, treeOf } from './objects.ts'
import type { Program } from './sandbox.ts'

export const [PASS, FAIL] = ['PASS', 'FAIL'] as const
type Verdict = typeof PASS | typeof FAIL

const call = (tool: string, input: object): Turn => ({ calls: [{ tool, input }] })
export const edits = (files: Readonly<Record<string, string>>): readonly Turn[] =>
  Object.entries(files).map(([path, content]) => call('write_file', { path, content }))
export const submits = (summary = 'The change', more: object = {}): Turn => call('submit_change', { summary, ...more })
export const plans = (more: object = {}): Turn =>
  call('submit_plan', {
    behaviour_change: 'it says new',
    acceptance_criteria: ['it says new'],
    non_goals: [],
    slices: ['change it'],
    files: [],
    tests: [],
    ...more,
  })
export const replies = (response: string, more: object = {}): Turn => call('submit_reply', { response, ...more })
export const approves = (): Turn => replies('Good.', { verdict: 'APPROVED' })
export const wantsChanges = (claim: string): Turn =>
  replies('Not yet.', {
    verdict: 'NEEDS_CHANGES',
    findings: [{ severity: 'major', file: 'a.txt', claim, evidence: 'a.txt:1' }],
  })
export const looks = (pattern = '*'): Turn => call('list_files', { pattern })

export interface Told {
  readonly exitCode: number
  readonly result: Result | undefined
  readonly events: readonly Event[]
}

interface WorldOptions {
  readonly files?: Readonly<Record<string, string>>
  readonly config?: object
  readonly user?: object
  readonly steps?: Readonly<Record<string, Program>>
}

/** A repository, its crew and its gate in memory; a story is told by what its agents say. */
export async function createWorld({
  files = { 'value.txt': 'old\n' },
  config = {},
  user,
  steps = {},
}: WorldOptions = {}) {
  const verdicts: Verdict[] = []
  let lanes: Record<string, readonly Turn[]> = {}
  const step: Program = ({ commit }) => {
    const isUsers =
      commit === null || memory.repository.objects.isAncestor(commit, memory.repository.branches.get('main') ?? '')
    return isUsers || (verdicts.shift() ?? PASS) === PASS ? 0 : { exitCode: 1, output: 'it fails\n' }
  }
  const named = Object.keys(steps).length > 0 ? steps : { test: step }
  const verification = { steps: Object.keys(named).map((name) => ({ name, command: name })) }
  const memory: MemoryDrydock = await createMemoryDrydock({
    files: treeOf({ '.drydock/config.json': JSON.stringify({ ...config, verification }), ...files }),
    programs: named,
    models: (id) => createPlayedModel(id, { lanes, script: { human: [], mergeOrder: null } }).model,
    ...(user && { user }),
  })
  const { drydock } = memory
  const models = { architect: 'replay:crew', editor: 'replay:crew', scout: 'replay:crew' }
  let n = 0
  async function go(run: string, command: Command, coders = 2): Promise<Told> {
    n += 1
    const key = await drydock.submit(`command/${n}`, command)
    const events: Event[] = []
    const last = await drydock.openRecords().recentEvents({ limit: 1 } as never)
    const { exitCode, results } = await follow(drydock, {
      ...{ runs: [run], after: last[0]?.id ?? 0, coders, own: true, noWait: true, humanDelayMs: null, command: key },
      ...{ onEvent: (event) => void events.push(event), onNote: () => {}, stop: new AbortController().signal },
    })
    return { exitCode, result: results.get(run), events }
  }
  const start = (run: string, request: object) =>
    go(run, { kind: 'start', run, request, target: null, configFile: null, models } as never)
  return {
    memory,
    drydock,
    /** A task with one editor: its turns after a plan, and what the gate says of each change. */
    task: (text: string) =>
      story(
        (told) =>
          start('the-task', {
            kind: 'task',
            task: { text, constraints: [], non_goals: [], files: [] },
            dryRun: false,
            apply: false,
            ...told,
          }),
        'task',
      ),
    /** A spec whose stories each write a file of their name, unless their lanes say otherwise. */
    spec: (...ids: readonly string[]) => ({
      async plays(more: Lanes = {}): Promise<Told> {
        lanes = {
          'architect/SCOPING': [replies('A small repository.')],
          'architect/STORY_GENERATION': [
            call('submit_stories', {
              stories: ids.map((id) => ({
                id,
                title: `Make ${id}`,
                content: `Write ${id}.txt.`,
                acceptance_criteria: [`${id}.txt is there`],
              })),
            }),
          ],
          ...Object.assign(
            {},
            ...ids.map((id) => ({
              [`editor/${id}/PLANNING`]: [plans({ files: [`${id}.txt`] })],
              [`architect/REQUEST/plan/${id}/1`]: [approves()],
              [`editor/${id}/CODING`]: [...edits({ [`${id}.txt`]: `${id}\n` }), submits(`Add ${id}`)],
              [`architect/REQUEST/code/${id}/1`]: [approves()],
            })),
          ),
          ...more,
        }
        return start('the-spec', {
          kind: 'spec',
          spec: { text: 'Make the files', source: 'text' },
          planOnly: false,
          reviewStories: false,
          stories: null,
        })
      },
    }),
    resume: (run: string) => go(run, { kind: 'resume', run, models: null }),
    file: (revisionName: string, path: string) => {
      const sha = revision(memory.repository, revisionName)
      const found = sha === null ? undefined : memory.repository.objects.tree(sha).get(path)
      return found === undefined ? null : textOf(found)
    },
    branches: () => [...memory.repository.branches.keys()].filter((name) => name !== 'main'),
    close: () => memory.close(),
  }

  function story(begin: (told: object) => Promise<Told>, name: string) {
    const told = { planning: [plans()] as readonly Turn[], coding: [] as Turn[] }
    const own = {
      plans(...turns: readonly Turn[]) {
        told.planning = turns
        return own
      },
      editor(...turns: readonly (Turn | readonly Turn[])[]) {
        told.coding = turns.flat() as Turn[]
        return own
      },
      verdicts(...given: readonly Verdict[]) {
        verdicts.push(...given)
        return own
      },
      async ends(): Promise<Told> {
        lanes = { [`editor/${name}/PLANNING`]: told.planning, [`editor/${name}/CODING`]: told.coding }
        return begin({})
      },
    }
    return own
  }
}
