import { expect, test } from 'vitest'
import { greenLanes } from '../scenarios/world/fixture.ts'
import { createHubAndClone } from './hub-and-clone.ts'

test('a task is done by the hub, and told to the client as if it were done there', async () => {
  const { client, git, clone } = await createHubAndClone((fixture) => fixture.replay(greenLanes))
  await git('commit', '-q', '--allow-empty', '-m', 'only here')
  const task = await client('task', 'say new')
  console.log(task.stdout, '----', task.stderr)
  expect(task.exitCode).toBe(0)
  console.log(await git('log', '--oneline', '--graph', '--all'))
  console.log(await git('show', '--stat', 'drydock/say-new'))
})
