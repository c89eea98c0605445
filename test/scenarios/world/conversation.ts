import type { EventOfType, EventType } from '../../../src/domain/event.ts'
import type { Message, ToolResult } from '../../../src/domain/lane/message.ts'
import type { Story } from '../../../src/domain/story/story.ts'
import type { ContextFile, ToolExecution } from '../../../src/ports/rows.ts'
import type { StateReader } from '../../../src/ports/store.ts'
import { type CommandResult, createFixture, type Fixture, type FixtureOptions } from './fixture.ts'

/** The stored conversation of a Run, read like any command does. */
export interface Conversation {
  readonly run: string
  messages(lane: string): Promise<readonly Message[]>
  /** The text of the lane's first message. */
  prompt(lane: string): Promise<string>
  /** Results of the lane's calls, in order, in the form that the model saw. */
  results(lane: string): Promise<readonly ToolResult[]>
  execution(lane: string, turn: number, index?: number): Promise<ToolExecution>
  /** Names of the lanes in the order in which they were opened. */
  lanes(): Promise<readonly string[]>
  story(): Promise<Story>
  events<Type extends EventType>(type: Type): Promise<readonly EventOfType<Type>[]>
  contextFiles(): Promise<readonly ContextFile[]>
}

/** The conversation of the Run in a command's output. */
export function conversationOf(fixture: Fixture, { events, stdout, stderr }: CommandResult): Conversation {
  const run = events[0]?.run
  if (typeof run !== 'string') throw new Error(`no run: ${stdout}\n${stderr}`)
  const read = <T>(reading: (records: StateReader) => Promise<T>) => reads(fixture, reading)
  const messages = (lane: string) => read((records) => records.messages(`${run}/${lane}`))
  return {
    run,
    messages,
    async prompt(lane) {
      const [first] = await messages(lane)
      if (first?.role !== 'user') throw new Error(`there is no lane ${lane}`)
      return first.text
    },
    async results(lane) {
      return (await messages(lane)).flatMap((message) => (message.role === 'tool' ? message.results : []))
    },
    async execution(lane, turn, index = 0) {
      const row = await read((records) => records.toolExecution(`${run}/${lane}`, turn, index))
      if (!row) throw new Error(`no call ${index} in turn ${turn} of ${lane}`)
      return row
    },
    async lanes() {
      const machines = await read((records) => records.machines({ kind: 'lane', run }))
      return machines.map(({ id }) => id.slice(run.length + 1))
    },
    async story() {
      return (await read((records) => records.machine(`${run}/task`))) as Story
    },
    async events<Type extends EventType>(type: Type) {
      const events = await read((records) => records.events({ run, after: 0, limit: 10_000 }))
      return events.filter((event): event is EventOfType<Type> => event.type === type)
    },
    contextFiles: () => read((records) => records.contextFiles(run, 'task')),
  }
}

async function reads<T>(fixture: Fixture, reading: (records: StateReader) => Promise<T>): Promise<T> {
  const records = (await fixture.open()).openRecords()
  try {
    return await reading(records)
  } finally {
    await records.close()
  }
}

export async function manifestOf(fixture: Fixture, runId: string): Promise<Record<string, unknown>> {
  const artifacts = (await fixture.open()).openArtifacts()
  const chunks: Uint8Array[] = []
  for await (const chunk of artifacts.readFile(runId, 'manifest.json')) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

/** A fixture that is removed with its test, for concurrent tests. */
export async function freshFixture(
  onTestFinished: (cleanUp: () => Promise<void>) => void,
  options: FixtureOptions = {},
): Promise<Fixture> {
  const fixture = await createFixture(options)
  onTestFinished(() => fixture.remove())
  return fixture
}
