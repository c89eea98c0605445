import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { greenStory, planned, reply } from '../world/crew.ts'
import { writeScript } from '../world/crew-script.ts'
import { call, resultOf, runHere } from '../world/fixture.ts'
import { branch, createSeveral, ownBranches, type Several, writeSpec } from '../world/several.ts'

/** What others push to and fetch from, with the client's first commit. */
async function createRemote({ fixture, client }: Several) {
  const path = join(fixture.folder, 'remotes', 'client.git')
  await client.git('clone', '-q', '--bare', client.path, path)
  await client.git('remote', 'add', 'origin', path)
  return { path, url: `file://${path}`, git: (...args: string[]) => client.git('-C', path, ...args) }
}

function scriptOf(...ids: readonly string[]) {
  const stories = ids.map((id) => planned({ id, ...(id === 'server' ? {} : { repository: 'client' }) }))
  return {
    lanes: {
      'architect/SCOPING': [reply('Two small repositories.')],
      'architect/STORY_GENERATION': [call('submit_stories', { stories })],
      ...Object.assign({}, ...ids.map((id) => greenStory(id))),
    },
  }
}

/** The clone of the second repository, and what was built on. */
function cloneOf(result: object | undefined) {
  const [, clone] = (result as { repositories: { path: string; base: string }[] }).repositories
  return clone ?? { path: '', base: '' }
}

test('a repository that is named by its URL is cloned, and its branch waits in the clone until a person pushes it', async () => {
  const several = await createSeveral()
  const { fixture, client } = several
  onTestFinished(() => fixture.remove())
  const remote = await createRemote(several)
  const [spec, model] = [
    await writeSpec(fixture, `repositories:\n  - ${remote.url}`),
    await writeScript(fixture, scriptOf('server', 'client')),
  ]
  const built = await fixture.drydock('run', spec, '--model', model, '--json', '--no-wait')
  expect(built.exitCode, built.stderr).toBe(0)
  const clone = cloneOf(resultOf(built))
  expect(resultOf(built)).toMatchObject({
    repositories: [{ name: 'repo' }, { name: 'client', url: remote.url, branch }],
  })
  expect(clone.path.startsWith(join(fixture.folder, 'state'))).toBe(true)
  const inClone = { git: (...args: string[]) => client.git('-C', clone.path, ...args) }
  expect(await inClone.git('for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads/')).toBe(branch)
  expect(await ownBranches(remote)).toBe('')
  const receipt = await runHere(['receipt', 'verify', branch, '--repo', clone.path], fixture.env)
  expect(receipt.exitCode, receipt.stderr + receipt.stdout).toBe(0)

  const push = `git -C ${clone.path} push origin ${branch}`
  expect((await fixture.drydock('report')).stdout).toContain(`Nothing is pushed: ${push}`)
  expect((await fixture.drydock('run', spec)).stdout).toContain(push)
  await inClone.git('push', '-q', 'origin', branch)
  expect(await remote.git('show', `${branch}:client.txt`)).toBe('client')
})

test('an empty repository behind a URL is refused with the reason, and no half of a clone stays', async () => {
  const { fixture, client } = await createSeveral()
  onTestFinished(() => fixture.remove())
  const path = join(fixture.folder, 'remotes', 'empty.git')
  await client.git('init', '-q', '--bare', path)
  const [spec, model] = [await writeSpec(fixture, `repositories:\n  - file://${path}`), await fixture.replay({})]
  for (const _ of [1, 2]) {
    const run = await fixture.drydock('run', spec, '--model', model, '--no-wait')
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringMatching(/empty\.git.* has no commits/s)])
  }
})
