import { expect, onTestFinished, test } from 'vitest'
import { type LaneNow, type Now, nowChangesSchema } from '../../src/api/now.ts'
import { canaries } from '../scenarios/world/canaries.ts'
import { call, greenLanes } from '../scenarios/world/fixture.ts'
import { createGates } from '../world/gates.ts'
import { type MemoryServer, serveWork } from './memory-served.ts'

let served: MemoryServer

const secret = canaries.find(({ family }) => family === 'GitHub ghp')
const words = `I look at the file first, with ${secret?.text} in mind, and then I change what it says. `

/** A task whose planner speaks, and then runs a command until the test ends. */
async function serveTask(half: Promise<void>): Promise<string> {
  const gates = createGates()
  const run = call('run_command', { command: 'gate held' })
  served = await serveWork({
    lanes: {
      'editor/task/PLANNING': [{ text: words.repeat(12), ...run }, ...(greenLanes['editor/task/PLANNING'] ?? [])],
    },
    programs: gates.programs,
    contextWindow: 200_000,
    async speak({ lane, turn }, hear, play) {
      if (lane === 'editor/task/PLANNING' && turn === 0) {
        hear({ kind: 'text', text: words.repeat(12) })
        await half
      }
      return play()
    },
  })
  onTestFinished(gates.openAll)
  const { body } = await served.page.post('/api/tasks', { task: 'Say new' })
  return String(body.run)
}

/** Polls until a lane matches. */
async function until(run: string, isMeant: (lane: LaneNow) => boolean, query = ''): Promise<LaneNow> {
  let after = ''
  for (;;) {
    const { version, lanes } = await served.page.get<Now>(`/api/runs/${run}/now?${after}${query}`)
    after = `after=${version}&`
    const found = lanes.find(isMeant)
    if (found) return found
  }
}

test('a model’s words are shown as they arrive, without its secrets, and the command while it runs', async () => {
  const half = Promise.withResolvers<void>()
  const run = await serveTask(half.promise)
  const speaking = await until(run, ({ said }) => said.length > 300, 'story=task')
  expect(speaking).toMatchObject({
    story: 'task',
    lane: 'editor/task/PLANNING',
    agent: 'editor',
    tools: [],
    asking: { kind: 'text', model: expect.stringMatching(/^replay:/) },
  })
  expect(speaking.context?.tokens).toBeGreaterThan(500)
  expect(speaking.said).toContain('[redacted by drydock] in mind')
  expect(speaking.said).not.toContain(secret?.needles[0]?.slice(0, 8))
  const stream = await served.page.events(`/api/events?now=${run},${run}/task,nothing`)
  const [first] = await Promise.all([
    stream.untilTold(({ story }) => story === 'task'),
    stream.untilTold(({ story }) => story === null),
  ])
  expect(nowChangesSchema.parse(first)).toEqual(first)
  expect(first).toMatchObject({ run, ids: [speaking.id], lanes: [{ id: speaking.id, tools: [] }] })
  expect(first.lanes[0]?.said).toContain('[redacted by drydock] in mind')
  half.resolve()
  await stream.untilTold(({ story, lanes }) => story === 'task' && lanes.some(({ tools }) => tools.length > 0))
  // Nothing is sent twice, and a Run without activity is reported once.
  const texts = stream.told.map(({ at: _, ...changes }) => JSON.stringify(changes))
  expect(texts).toEqual([...new Set(texts)])
  expect(stream.told.filter((each) => each.run !== run)).toMatchObject([{ run: 'nothing', lanes: [], ids: [] }])
  const running = await until(run, ({ tools }) => tools.length > 0)
  expect(running.asking).toBeNull()
  expect(running.tools[0]?.line).toContain('run_command gate held')
  // The state contains none of it.
  const events = await served.drydock.openRecords()
  const all = JSON.stringify(await events.events({ after: 0, limit: 1_000 }))
  await events.close()
  expect(all).not.toContain('in mind, and then I change what it says. I look at the file first')
})
