import { expect, onTestFinished, test } from 'vitest'
import { createMemoryFixture } from '../../world/fixture.ts'
import { diesAgainAndAgain } from '../../world/kills.ts'
import { memoryNode } from '../../world/node.ts'
import { doubling, hiddenTests, honest, judgement, onlyTwo } from '../world/acceptance.ts'
import { read } from '../world/crew-conversation.ts'
import { change, plan } from '../world/fixture.ts'
import { storeStory } from './kill.ts'

test.each(['before', 'after'] as const)(
  'acceptance tests survive kills %s commits: written, read and tried once, disputed, and met in the end',
  async (moment) => {
    const fixture = await createMemoryFixture({
      programs: { node: memoryNode },
      ...doubling,
      config: { acceptance: 'always' },
    })
    onTestFinished(() => fixture.remove())
    const stored = await storeStory(fixture, {
      ...hiddenTests('task', 'say new'),
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [onlyTwo, change(), change('It is right'), honest, change()],
      'architect/REQUEST/acceptance/task/1': [
        judgement({ id: 'C1', decision: 'stands', reason: 'Not even a wombat.' }),
      ],
    })
    const { run } = stored
    expect(await diesAgainAndAgain(stored, moment)).toBeGreaterThan(20)
    const [acceptance] = await read(fixture, (records) => records.machines({ kind: 'acceptance', run }))
    expect(acceptance).toMatchObject({
      state: 'READY',
      data: { returns: 0, criteria: [{ id: 'C1', state: 'tested' }] },
    })
    const lanes = await read(fixture, (records) => records.machines({ kind: 'lane', run }))
    expect(lanes.map(({ data }) => data.key).toSorted()).toEqual([
      'architect/ACCEPTANCE/task',
      'architect/ACCEPTANCE_QUOTES/task/1',
      'architect/REQUEST/acceptance/task/1',
      'editor/task/CODING',
      'editor/task/PLANNING',
    ])
    const [story] = await read(fixture, (records) => records.machines({ kind: 'story', run }))
    expect(story?.state).toBe('DONE')
  },
)
