import { expect, test } from 'vitest'
import { ciWorld, obeyed, pullRequest } from './ci-world.ts'

test('a pull request of GitHub is verified as its merge, by the configuration of the base that the merge has', async () => {
  const world = await ciWorld()
  await world.dev.commit({ 'src/value.txt': 'new\n' })
  const { clone, env, head, base, merge } = await pullRequest(world)
  const done = await world.step(clone, env, 'ci')
  expect(done, done.stdout + done.stderr).toMatchObject({ exitCode: 0, stderr: '' })
  expect(done.outputs).toEqual({
    outcome: 'PASS',
    base,
    head,
    verified: merge,
    run_id: expect.stringMatching(/^run_/),
    findings: '0',
    receipts_proven: '0',
    commits: '1',
  })
  expect(done.summary).toContain('## Drydock: PASS')
  expect(done.summary).toContain(`\`${head.slice(0, 12)}\` | It has no receipt.`)
  expect(obeyed(done.stdout)).toEqual([
    {
      command: 'notice',
      properties: { title: '1 of 1 commits without a proven receipt' },
      data: expect.stringContaining('no receipt'),
    },
  ])
})
