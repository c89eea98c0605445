import { afterEach, expect, test } from 'vitest'
import { createCrewFixture, type Fixture } from '../../world/fixture.ts'
import { build, greenStory, needsChanges, specLanes } from '../world/crew.ts'
import { configureUser, startHook } from '../world/hook.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

/** A crew that asks about a story, and a webhook. */
async function asking(notify: object = {}) {
  fixture = await createCrewFixture({ config: { editor: { review_rounds: 1 } } })
  const hook = await startHook()
  await configureUser(fixture, { notify: { webhook: hook.url, ...notify } })
  const stopped = await build(fixture, {
    ...specLanes('asks'),
    ...greenStory('asks'),
    'architect/REQUEST/code/asks/1': [needsChanges('Not like this.')],
  })
  expect(stopped.exitCode, stopped.stdout + stopped.stderr).toBe(6)
  const run = String(stopped.events[0]?.run)
  const question = stopped.events.find(({ type }) => type === 'escalation')
  const message = String(question?.id)
  let given = 0
  return {
    hook,
    run,
    message,
    question: String(question?.question),
    /** As an operator of a hub does. */
    async assign(to: string | null) {
      given += 1
      await (await fixture.open()).submit(`assign/${given}`, { kind: 'assign', run, message, to, by: 'ada' })
    },
    resume: () => fixture.drydock('resume', '--json', '--no-wait'),
    told: () => hook.posts.map(({ notice }) => notice),
  }
}

test('the command line shows whom a question is for, wherever it shows the question', async () => {
  const { run, message, assign, resume } = await asking()
  expect((await fixture.drydock('status', run)).stdout).not.toContain(' for bea')
  await assign('bea')
  expect((await resume()).exitCode).toBe(6)
  const status = (...more: string[]) => fixture.drydock('status', ...more)
  expect((await status(run)).stdout).toContain('ASKS YOU (for bea)')
  expect((await status()).stdout).toContain(`Waiting for you: message ${message} (for bea).`)
  expect((await fixture.drydock('chat', run)).stdout).toMatch(new RegExp(`^#${message} .* OPEN, for bea$`, 'm'))
  expect((await status(run, '--json')).events).toMatchObject([{ escalations: [{ id: message, assigned_to: 'bea' }] }])
  expect((await fixture.drydock('chat', run, '--json')).events).toContainEqual(
    expect.objectContaining({ id: message, open: true, assigned_to: 'bea' }),
  )
  await assign(null)
  expect((await resume()).exitCode).toBe(6)
  expect((await status(run)).stdout).not.toContain('for bea')
})

test('who is given a question is told, once for each time, and nobody is told of what is for everybody', async () => {
  const { run, message, question, assign, resume, told } = await asking()
  expect(told()).toMatchObject([{ type: 'escalation', message }])
  await assign('bea')
  await resume()
  const about = {
    type: 'assigned',
    run,
    story: 'asks',
    message,
    question: `For bea: ${question}`,
    title: 'Make the files',
  }
  expect(told().slice(1)).toEqual([{ id: expect.any(String), ...about, person: 'bea' }])
  await assign('ada')
  await resume()
  await assign(null)
  await resume()
  await assign('bea')
  await resume()
  expect(told().slice(1)).toMatchObject(['bea', 'ada', 'bea'].map((person) => ({ type: 'assigned', person })))
  expect(new Set(told().map(({ id }) => id)).size).toBe(4)
})

test('who was given a question that is for another by then, or answered, is not told late', async () => {
  const { hook, message, assign, resume, told } = await asking()
  await assign('bea')
  await assign('cleo')
  await resume()
  expect(told().slice(1)).toMatchObject([{ person: 'cleo' }])
  hook.answer(503)
  await assign('bea')
  await resume()
  hook.answer(200)
  const before = told().length
  await fixture.drydock('reply', message, 'retry')
  await resume()
  expect(told().slice(before)).not.toContainEqual(expect.objectContaining({ type: 'assigned' }))
})

test('the hooks of somebody who wants only questions tell of no person', async () => {
  const { assign, resume, told } = await asking({ on: ['escalation'] })
  await assign('bea')
  await resume()
  expect(told()).toMatchObject([{ type: 'escalation' }])
})

test('one user of a machine has nobody to give a question to, and hears where that is possible', async () => {
  const { message } = await asking()
  const given = await fixture.drydock('assign', message, 'bea')
  expect([given.exitCode, given.stderr]).toEqual([2, expect.stringContaining('Only a hub has several people')])
})
