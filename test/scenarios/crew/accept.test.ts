import { afterEach, expect, test } from 'vitest'
import { createCrewFixture, type Fixture } from '../../world/fixture.ts'
import { build, finding, greenStory, needsChanges, specLanes, storyPlan, submit, writeFile } from '../world/crew.ts'
import { answer, crewOf } from '../world/crew-conversation.ts'
import { resultOf } from '../world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const twice = (response: string) => needsChanges(response, [finding(), finding({ claim: 'It is too long' })])
const resume = () => fixture.drydock('resume', '--json', '--no-wait')

test('findings that a human accepts hold a plan or a change no more, and what was reviewed is approved without another round', async () => {
  fixture = await createCrewFixture({ config: { editor: { review_rounds: 1 } } })
  const stopped = await build(fixture, {
    ...specLanes('coded', 'planned'),
    ...greenStory('coded'),
    ...greenStory('planned'),
    'architect/REQUEST/code/coded/1': [twice('Not like this.')],
    'architect/REQUEST/plan/planned/1': [needsChanges('Too wide.')],
  })
  expect(stopped.exitCode, stopped.stdout + stopped.stderr).toBe(6)
  const crew = crewOf(fixture, stopped)
  const howToAccept = `\`drydock accept ${crew.run}/coded <id>…\` accepts findings.`
  for (const told of [stopped, await fixture.drydock('status', crew.run), await fixture.drydock('chat', crew.run)])
    expect(told.stdout + told.stderr).toContain(howToAccept)

  const unknown = await fixture.drydock('accept', 'coded', 'c9')
  expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('Its findings: c1, c2')])
  const one = await fixture.drydock('accept', 'coded', 'c1', '--reason', 'The name is short enough.', '--json')
  expect([one.exitCode, one.events]).toEqual([0, [{ type: 'accept', run: crew.run, story: 'coded', findings: ['c1'] }]])
  expect((await resume()).exitCode).toBe(6)
  expect((await crew.open()).map(({ story }) => story).sort()).toEqual(['coded', 'planned'])
  expect((await fixture.drydock('accept', crew.run, 'p1')).exitCode).toBe(0)
  const byAda = { kind: 'accept', run: crew.run, story: 'coded', findings: ['c2'], by: 'ada' } as const
  await (await fixture.open()).submit('accept/of-a-hub', byAda)
  const done = await resume()
  expect(resultOf(done), done.stdout + done.stderr).toMatchObject({ status: 'DONE' })

  expect(await crew.path('coded')).toMatch(/ CODE_REVIEW ESCALATED CODE_REVIEW MERGING DONE$/)
  expect(await crew.path('planned')).toMatch(/ PLAN_REVIEW ESCALATED PLAN_REVIEW CODING VERIFYING CODE_REVIEW /)
  expect(await crew.answers('coded')).toEqual(['plan 1 APPROVED', 'code 1 NEEDS_CHANGES'])
  expect(await crew.prompt('editor/planned/CODING')).toContain('accepted by a human')
  expect(await crew.open()).toEqual([])
  expect((await crew.story('coded')).data.reviews.code.findings).toMatchObject([
    { id: 'c1', state: 'accepted', acceptedBy: 'human' },
    { id: 'c2', state: 'accepted', acceptedBy: 'human', accepter: 'ada' },
  ])
  const log = await fixture.git(
    'log',
    '--format=%H %(trailers:key=Reviewed-By,valueonly,separator=%x2C)',
    'main..drydock/make-the-files',
  )
  const [coded = ''] = log.split('\n').filter((line) => line.includes('human (code/coded/1, findings accepted)'))
  const receipt = await fixture.drydock('receipt', 'show', coded.split(' ')[0] ?? '', '--json')
  expect(receipt.events.at(-1) ?? JSON.parse(receipt.stdout), receipt.stdout).toMatchObject({
    receipt: {
      reviewer: { agent: 'human', request: 'code/coded', round: 1, verdict: 'APPROVED' },
      findings: [
        { id: 'c1', accepted_by: 'human', reason: 'The name is short enough.' },
        { id: 'c2', accepted_by: 'human', accepter: 'ada' },
      ],
    },
  })
  const shown = await fixture.drydock('receipt', 'show', coded.split(' ')[0] ?? '')
  expect(shown.stdout).toMatch(/c1 \(major, by the reviewer, accepted by human: The name is short enough\.\)/)
  const proof = await fixture.drydock('receipt', 'verify', coded.split(' ')[0] ?? '')
  expect([proof.exitCode, proof.stderr]).toEqual([0, expect.any(String)])
  const report = await fixture.drydock('report', crew.run)
  expect(report.stdout).toMatch(/c1 \(major, accepted by a human\).*c2 \(major, accepted by ada\)/s)
  const told = (await fixture.drydock('log', crew.run, '--json')).events.filter(({ type }) => type === 'accepted')
  expect(told.map(({ findings, actor }) => [findings, actor])).toEqual([
    [['c1'], undefined],
    [['p1'], undefined],
    [['c2'], 'ada'],
  ])
  const late = await fixture.drydock('accept', 'coded', 'c1')
  expect([late.exitCode, late.stderr]).toEqual([2, expect.stringContaining('is DONE')])
})

test('while the editor works on the last of them, its lane ends and the change is merged as it was reviewed', async () => {
  fixture = await createCrewFixture()
  const stopped = await build(fixture, {
    ...specLanes('one'),
    ...greenStory('one', 'reviewed\n'),
    'editor/one/CODING': [writeFile('one.txt', 'reviewed\n'), submit('one'), writeFile('one.txt', 'begun\n')],
    'architect/REQUEST/code/one/1': [needsChanges('Not like this.')],
  })
  const crew = crewOf(fixture, stopped)
  expect([stopped.exitCode, (await crew.story('one')).state], stopped.stderr).toEqual([1, 'CODING'])
  expect((await fixture.drydock('accept', 'one', 'c1')).exitCode).toBe(0)
  const done = await resume()
  expect(resultOf(done), done.stdout + done.stderr).toMatchObject({ status: 'DONE' })
  expect(await crew.path('one')).toMatch(/ CODE_REVIEW CODING CODE_REVIEW MERGING DONE$/)
  expect(await fixture.git('show', 'drydock/make-the-files:one.txt')).toBe('reviewed')
})

test('a finding that a human has accepted is not opened again by a reviewer who names it', async () => {
  fixture = await createCrewFixture({ config: { editor: { review_rounds: 1 } } })
  const stopped = await build(fixture, {
    ...specLanes('one'),
    ...greenStory('one'),
    'editor/one/PLANNING': [storyPlan('one')],
    'architect/REQUEST/code/one/1': [twice('Not like this.')],
    'architect/REQUEST/code/one/2': [needsChanges('Still.', [finding({ id: 'c1' })])],
  })
  const crew = crewOf(fixture, stopped)
  await fixture.drydock('accept', 'one', 'c1')
  const done = await answer(fixture, crew, { story: 'one', text: 'Look at c2 again.' })
  expect(resultOf(done), done.stdout).toMatchObject({ status: 'DONE' })
  expect(await crew.prompt('architect/REQUEST/code/one/2')).toContain('[c1] major, accepted by a human')
  expect(await crew.answers('one')).toEqual(['plan 1 APPROVED', 'code 1 NEEDS_CHANGES', 'code 2 APPROVED'])
})
