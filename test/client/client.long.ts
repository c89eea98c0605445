import { expect, test } from 'vitest'
import { createCrewFixture, greenStory, reply, stories } from '../scenarios/world/crew.ts'
import { findGate, gatedLanes, launch } from '../scenarios/world/process.ts'
import { createHubAndClone } from './hub-and-clone.ts'

const twiceGated = {
  ...gatedLanes,
  'editor/task/CODING': [gatedLanes['editor/task/CODING']?.[0] ?? {}, ...(gatedLanes['editor/task/CODING'] ?? [])],
}

test('a run of a hub is paused, continued, talked to and given money from the clone, and a hub that is killed meanwhile is waited for', async () => {
  const world = await createHubAndClone((at) => at.replay(twiceGated))
  const task = launch(['task', 'say new', '--repo', world.clone], { env: world.env })
  const run = (await task.line(/^run say-new-/)).replace('run ', '')
  await task.line(/CODING/)
  const { workTrees } = await world.fixture.open()
  const gate = await findGate(workTrees.path('coder-001'))
  const said = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await world.client(...args)
    return `${exitCode} ${stdout}${stderr}`
  }
  expect(await said('chat', '--post', 'Keep it short.')).toContain('0 ')
  expect(await said('chat')).toContain('human ada')
  expect(await said('budget', '--raise', '5')).toBe('0 Raised. Waiting work continues.\n')
  expect(await said('budget')).toContain('$25.00')
  expect(await said('pause', run)).toContain(`${run} is being paused`)
  await gate.open()
  await task.line(/paused by hand|PAUSED/i)
  expect(await said('pause', run)).toMatch(/^0 .*already/)
  expect(await said('resume')).toMatch(/^2 .*resume all runs of a hub.*drydock resume <run>/s)
  expect(await said('resume', run, '--model', 'anthropic:x')).toMatch(/^2 .*cannot be changed from here/)
  const resuming = said('resume', run)
  await findGate(workTrees.path('coder-001'))
  await world.kill()
  await task.line(/cannot be reached: .*Its runs go on\. Trying again/)
  await world.begin()
  await task.line(/is there again/)
  const resumed = await resuming
  expect(resumed).toMatch(/^0 .*Branch: {4}drydock\/say-new/s)
  expect((await task.ended).exitCode).toBe(0)
  expect(await said('cancel', run)).toContain(`${run} has already ended`)
  expect(await said('retry', run)).toContain('cannot be retried')
  for (const option of [['--config', 'x.json'], ['--max-coders', '2'], ['--sandbox', 'docker'], ['--apply']])
    expect(await said('task', 'say new', ...option)).toMatch(/^2 .*(the hub's to decide|with a hub yet)/)
})

test('a question of a spec is answered from the clone, and the spec again follows its run', async () => {
  const lanes = {
    'architect/SCOPING': [reply('A small repository.')],
    'architect/STORY_GENERATION': [stories('one')],
    ...greenStory('one'),
  }
  const world = await createHubAndClone((at) => at.replay(lanes), { create: createCrewFixture })
  const asked = await world.client('run', 'Make the files', '--review-stories', '--json')
  expect(asked.exitCode).toBe(6)
  const [{ escalations = [] } = {}] = asked.events.filter(({ type }) => type === 'waiting') as unknown as {
    escalations: { id: string }[]
  }[]
  const answered = await world.client('reply', escalations[0]?.id ?? '', 'approve')
  expect([answered.exitCode, answered.stderr]).toEqual([0, expect.any(String)])
  const again = await world.client('reply', escalations[0]?.id ?? '', 'approve')
  expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining('already has an answer')])
  const watched = await world.client('run', 'Make the files')
  expect([watched.exitCode, watched.stderr]).toEqual([0, expect.stringContaining('DONE')])
  expect(await world.git('log', '--format=%s', 'HEAD..drydock/make-the-files')).toBe('Add one')
  expect((await world.git('notes', '--ref', 'drydock', 'list')).split('\n')).toHaveLength(1)
  const same = await world.client('run', 'Make the files')
  expect([same.exitCode, same.stderr]).toEqual([0, expect.stringContaining('The same spec is already built')])
})
