import type { RequestData } from '../../src/domain/request/request.ts'
import { newRun, type RunData } from '../../src/domain/run/run.ts'
import type { RunState } from '../../src/domain/run/run-machine.ts'
import type { PlannedStory } from '../../src/domain/story/planned-story.ts'
import { newStory, type StoryData, taskOf } from '../../src/domain/story/story.ts'
import type { StoryState } from '../../src/domain/story/story-machine.ts'
import type { Store } from '../../src/ports/store.ts'
import { createMemoryFixture, type MemoryFixture } from '../world/fixture.ts'

export const specText = '# Durations\n\nParse and print them.\n'

export function planned(id: string, more: Partial<PlannedStory> = {}): PlannedStory {
  const texts = { title: `Make the ${id}`, content: `The ${id} must work.` }
  return { id, ...texts, acceptance_criteria: [`the ${id} works`], depends_on: [], files_hint: [], ...more }
}

export interface CrewWorld {
  readonly fixture: MemoryFixture
  readonly store: Store
  /** Stores a crew's Run in the middle of its work. */
  addRun(id: string, state: RunState, data?: Partial<RunData>): Promise<void>
  addStory(run: string, plan: PlannedStory, state: StoryState, data?: Partial<StoryData>): Promise<void>
  addRequest(
    run: string,
    story: string,
    data: Partial<RequestData>,
    state?: 'OPEN' | 'ESCALATED' | 'ANSWERED',
  ): Promise<void>
  /** Posts a message and returns its id. */
  ask(run: string, story: string | null, content: string): Promise<string>
  answer(run: string, message: string, content: string): Promise<void>
  remove(): Promise<void>
}

/** A repository and a state in memory, written like the workflow's, that no process works on. */
export async function createCrewWorld(): Promise<CrewWorld> {
  const fixture = await createMemoryFixture()
  const { store } = fixture.machine
  return {
    fixture,
    store,
    async addRun(id, state, data = {}) {
      const spec = { text: specText, source: 'spec.md' }
      const request = { kind: 'spec', spec, planOnly: false, reviewStories: false, stories: null } as const
      const models = { architect: 'replay:none', editor: 'replay:none', scout: 'replay:none' }
      const run = { ...newRun({ request, target: null, configFile: null, models, budgetUsd: null }), ...data }
      await store.transact(async (tx) => {
        await tx.insertMachine({ id, kind: 'run', run: id, story: null, state, data: run })
        await tx.appendEvent({
          run: id,
          story: null,
          type: 'run',
          data: { kind: run.request.kind, title: 'Durations' },
        })
      })
    },
    async addStory(run, plan, state, data = {}) {
      const given = { name: plan.id, task: taskOf(plan), planned: plan, dryRun: false, base: 'c0ffee', slot: null }
      await store.transact(async (tx) => {
        const story = { ...newStory(given), ...data }
        await tx.insertMachine({ id: `${run}/${plan.id}`, kind: 'story', run, story: plan.id, state, data: story })
      })
    },
    async addRequest(run, story, given, state = 'OPEN') {
      const data: RequestData = {
        kind: 'code',
        name: story,
        round: 1,
        sha: 'c0ffee',
        coder: 'coder-001',
        lane: 'none',
        escalation: null,
        verdict: null,
        response: null,
        ...given,
      }
      const id = `${run}/request/${data.kind}/${story}/${data.round}`
      await store.transact(async (tx) => {
        await tx.insertMachine({ id, kind: 'request', run, story, state, data })
      })
    },
    async ask(run, story, content) {
      const message = { agent_id: 'architect', content, reply_to: null, post_type: 'escalate', run, story } as const
      return (await store.transact((tx) => tx.postMessage(message))).id
    },
    async answer(run, message, content) {
      const asked = await store.chatMessage(message)
      const story = asked?.story ?? null
      const said = { agent_id: 'human', content, reply_to: message, post_type: 'reply', run, story } as const
      await store.transact((tx) => tx.postMessage(said))
    },
    remove: () => fixture.remove(),
  }
}
