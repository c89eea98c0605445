import type { ChatMessage } from '../../../src/domain/chat.ts'
import type { EventData, EventType } from '../../../src/domain/event.ts'
import type { LaneData } from '../../../src/domain/lane/lane.ts'
import type { Request } from '../../../src/domain/request/request.ts'
import type { Run } from '../../../src/domain/run/run.ts'
import type { Story } from '../../../src/domain/story/story.ts'
import type { StateReader } from '../../../src/ports/store.ts'
import { type Conversation, conversationOf } from './conversation.ts'
import type { Lanes } from './crew.ts'
import type { CommandResult, Fixture } from './fixture.ts'

/** The stored conversation of a crew. */
export interface CrewConversation extends Omit<Conversation, 'story' | 'contextFiles'> {
  machine(): Promise<Run>
  story(id: string): Promise<Story>
  lane(key: string): Promise<LaneData>
  request(kind: string, story: string, round?: number): Promise<Request>
  /** `plan 1 APPROVED`, in the order of the answers; a question has no verdict. */
  answers(story: string): Promise<readonly string[]>
  /** The states of a story, from its first workspace on. */
  path(story: string): Promise<string>
  chat(): Promise<readonly ChatMessage[]>
  /** The questions to a human that nobody has answered. */
  open(): Promise<readonly ChatMessage[]>
}

/** The conversation of the Run in a command's output, or of the Run with this id. */
export function crewOf(fixture: Fixture, about: CommandResult | string): CrewConversation {
  const nothing = { exitCode: 0, stdout: '', stderr: '' }
  const conversation = conversationOf(
    fixture,
    typeof about === 'string' ? { ...nothing, events: [{ type: 'run', run: about }] } : about,
  )
  const { run } = conversation
  const machine = async <M>(id: string) => (await read(fixture, (records) => records.machine(id))) as M
  const chat = () => read(fixture, (records) => records.chat({ run }))
  const ofStory = async <Type extends EventType>(type: Type, story: string) =>
    (await conversation.events(type))
      .filter((event) => event.story === story)
      .map(({ data }) => data as EventData[Type])
  return {
    ...conversation,
    chat,
    machine: () => machine<Run>(run),
    story: (id) => machine<Story>(`${run}/${id}`),
    lane: async (key) => (await machine<{ readonly data: LaneData }>(`${run}/${key}`)).data,
    request: (kind, story, round = 1) => machine<Request>(`${run}/request/${kind}/${story}/${round}`),
    async answers(story) {
      const answered = (await ofStory('request', story)).filter(({ state }) => state === 'ANSWERED')
      return answered.map(({ kind, round, verdict }) => [kind, round, verdict].filter(Boolean).join(' '))
    },
    async path(story) {
      const states = (await ofStory('state', story)).map(({ to }) => to)
      return states.join(' ')
    },
    async open() {
      const messages = await chat()
      const answered = new Set(messages.filter(({ agent_id }) => agent_id === 'human').map(({ reply_to }) => reply_to))
      return messages.filter(({ id, post_type }) => post_type === 'escalate' && !answered.has(id))
    },
  }
}

export async function read<T>(fixture: Fixture, reading: (records: StateReader) => Promise<T>): Promise<T> {
  const records = (await fixture.open()).openRecords()
  return reading(records).finally(() => records.close())
}

/**
 * A spec that is stored as `run` stores it, and that has not started. Returns the id of its Run.
 */
export async function storedSpec(fixture: Fixture, lanes: Lanes): Promise<string> {
  const run = 'make-the-files-000000'
  const model = await fixture.replay(lanes)
  const drydock = await fixture.open()
  await drydock.submit('start', {
    kind: 'start',
    run,
    target: null,
    configFile: null,
    models: { architect: model, editor: model, scout: model },
    request: {
      kind: 'spec',
      spec: { text: 'Make the files', source: 'text' },
      planOnly: false,
      reviewStories: false,
      stories: null,
    },
  })
  return run
}

/**
 * A human's action while the Run waits: answers the open question of a story, or of the Run, and
 * continues the Run.
 */
export async function answer(
  fixture: Fixture,
  crew: CrewConversation,
  { story, text }: { readonly story: string | null; readonly text: string },
): Promise<CommandResult> {
  await say(fixture, crew, { story, text })
  return fixture.drydock('resume', crew.run, '--json', '--no-wait')
}

/** Answers without continuing the Run. */
export async function say(
  fixture: Fixture,
  crew: CrewConversation,
  { story, text }: { readonly story: string | null; readonly text: string },
): Promise<void> {
  const question = (await crew.open()).find((message) => message.story === story)
  if (question === undefined) throw new Error(`${story} asks nothing: ${JSON.stringify(await crew.chat())}`)
  const replied = await fixture.drydock('reply', question.id, text)
  if (replied.exitCode !== 0) throw new Error(replied.stderr)
}

/** A turn that repeats a read so often that the lane is stopped at once. */
export const stuckTurn = {
  calls: Array.from({ length: 5 }, () => ({ tool: 'list_files', input: { pattern: '*' } })),
}
