import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFixture, greenLanes, passWhenNew, runHere } from '../scenarios/world/fixture.ts'
import { ciWorld, configOf, obeyed, pullRequest, type Step } from './ci-world.ts'

const notes = 'refs/notes/drydock'

/** A pull request of a task that Drydock has done, with its receipt at the server. */
async function taskAsPullRequest() {
  const world = await ciWorld({ 'value.txt': 'old\n', '.drydock/config.json': configOf(passWhenNew) })
  const { dev } = world
  const fixture = await createFixture({})
  const model = await fixture.replay(greenLanes)
  const env = { ...world.env, DRYDOCK_HOME: join(world.folder, 'state') }
  const drydock = (...args: string[]) => runHere([...args, '--repo', dev.folder], env)
  const task = await drydock('task', 'Say new', '--model', model, '--json')
  await fixture.remove()
  expect(task.exitCode, task.stderr).toBe(0)
  await dev.git('switch', '-q', String(task.events.at(-1)?.branch))
  await dev.git('push', '-q', 'origin', `${notes}:${notes}`)
  const pem = (await drydock('receipt', 'key')).stdout
  return { world, dev, drydock, pem }
}

const states = ({ events }: Step) => {
  const { receipts } = events.at(-1) as { receipts?: { state: string; fault?: string }[] }
  return receipts?.map(({ state, fault }) => fault ?? state)
}

test('receipts are fetched and proven by the pipeline’s key, and a commit of somebody else is told or refused', async () => {
  const { world, dev, pem } = await taskAsPullRequest()
  const own = await pullRequest(world)
  const keyed = { ...own.env, DRYDOCK_RECEIPT_KEY: pem }
  const proven = await world.step(own.clone, keyed, 'ci', '--require-receipts', '--json')
  expect(proven, proven.stderr).toMatchObject({ exitCode: 0, outputs: { outcome: 'PASS', receipts_proven: '1' } })
  expect(obeyed(proven.stderr)).toEqual([])
  const unchecked = await world.step(own.clone, own.env, 'ci', '--json')
  expect([unchecked.exitCode, states(unchecked)]).toEqual([0, ['unchecked']])

  const forged = (await runHere(['receipt', 'key'], { ...world.env, DRYDOCK_HOME: join(world.folder, 'forger') }))
    .stdout
  const stranger = await world.step(own.clone, { ...own.env, DRYDOCK_RECEIPT_KEY: forged }, 'ci', '--json')
  expect([stranger.exitCode, stranger.outputs.outcome, states(stranger)]).toEqual([
    3,
    'NOT_PROVEN',
    ['receipt_unknown_key'],
  ])

  await dev.commit({ 'value.txt': 'newer\n' })
  const more = await pullRequest(world)
  const told = await world.step(more.clone, { ...more.env, DRYDOCK_RECEIPT_KEY: pem }, 'ci', '--json')
  expect([told.exitCode, states(told)]).toEqual([0, ['missing', 'proven']])
  const required = await world.step(more.clone, { ...more.env, DRYDOCK_RECEIPT_KEY: pem }, 'ci', '--require-receipts')
  expect(required).toMatchObject({ exitCode: 3, outputs: { outcome: 'NOT_PROVEN' } })
  expect(obeyed(required.stdout)).toMatchObject([
    { command: 'error', properties: { title: '1 of 2 commits without a proven receipt' } },
  ])
})
