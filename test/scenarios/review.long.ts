import { expect, test } from 'vitest'
import { createLandingWorld } from '../forge/landing-world.ts'
import { change, greenLanes, plan, type Turns, write } from './world/fixture.ts'

const fate = (id: string, settled = true, reply = 'Done.') => ({ id, settled, reply })

/** Follow-up number `n`: it writes `content`, and answers the remarks. */
const followUp = (n: number, content: string, remarks: readonly object[]): Readonly<Record<string, Turns>> => ({
  [`editor/review-${n}/PLANNING`]: [plan()],
  [`editor/review-${n}/CODING`]: [write(content), change(`Settle ${n}`, { remarks })],
})

test('a pull request has the commits that remarks have led to, with their status and receipts', async () => {
  const { fixture, forge, branch, sha, land } = await createLandingWorld()
  expect(await land()).toMatchObject({ exitCode: 0 })
  await fixture.replay({ ...greenLanes, ...followUp(1, 'new, and better\n', [fate('F-1')]) })
  const reviewed = await fixture.drydock('review', '--comment', 'value.txt:1', 'Better.', '--json')
  expect(reviewed.exitCode, reviewed.stdout + reviewed.stderr).toBe(0)
  const again = await land()
  expect(again, again.stderr).toMatchObject({ exitCode: 0 })
  const tip = await fixture.git('rev-parse', branch)
  expect(await fixture.git('rev-parse', `${tip}^`)).toBe(sha)
  expect(await forge.commitOf(branch)).toBe(tip)
  expect(again.events.at(-1)).toMatchObject({ type: 'land', number: 1, opened: false, sha: tip })
  expect(forge.statuses).toMatchObject([{ sha }, { sha: tip, context: 'drydock/verified', state: 'success' }])
  const noted = await forge.git('notes', '--ref=refs/notes/drydock', 'list')
  for (const commit of [sha, tip]) expect(noted).toContain(commit)
})
