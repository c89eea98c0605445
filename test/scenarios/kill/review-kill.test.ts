import { expect, onTestFinished, test } from 'vitest'
import { giveReview } from '../../../src/app/operations/act/submit-review.ts'
import { createMemoryFixture } from '../../world/fixture.ts'
import { diesAgainAndAgain } from '../../world/kills.ts'
import { read } from '../world/crew-conversation.ts'
import { change, greenLanes, plan, resultOf, write } from '../world/fixture.ts'

const lanes = {
  ...greenLanes,
  'editor/review-1/PLANNING': [plan()],
  'editor/review-1/CODING': [
    write('new, and better\n'),
    change('Better', { remarks: [{ id: 'F-1', settled: true, reply: 'Better.' }] }),
  ],
}

test.each(['before', 'after'] as const)(
  'remarks survive kills %s commits: they are taken in once, and one commit settles them',
  async (moment) => {
    const fixture = await createMemoryFixture()
    onTestFinished(() => fixture.remove())
    const task = await fixture.drydock('task', 'Say new', '--model', await fixture.replay(lanes), '--json')
    expect(task.exitCode, task.stderr).toBe(0)
    const { run, branch } = resultOf(task)
    const about = String(run)
    const remark = { key: 'forge/7', author: 'Ada', source: { kind: 'cli' }, place: null, text: 'Better.' } as const
    const submitted = await giveReview(await fixture.open(), { id: about, remarks: [remark] })
    await giveReview(await fixture.open(), { id: about, remarks: [remark] })
    const story = { fixture, run: submitted.followUp }
    expect(await diesAgainAndAgain(story, moment)).toBeGreaterThan(15)
    const tip = await fixture.git('rev-parse', String(branch))
    const remarks = await read(fixture, (records) => records.machines({ kind: 'remark' }))
    expect(remarks).toMatchObject([{ state: 'SETTLED', data: { finding: 'F-1', commit: tip } }])
    const told = await read(fixture, (records) => records.events({ run: about, after: 0, limit: 10_000 }))
    const fates = told.flatMap(({ type, data }) => (type === 'remark' ? [(data as { state: string }).state] : []))
    expect(fates).toEqual(['OPEN', 'SETTLED'])
    expect(await fixture.git('log', '--format=%s', `main..${branch}`)).toBe('Better\nSay new')
  },
)
