import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { greenStory, planned, reply } from '../world/crew.ts'
import { writeScript } from '../world/crew-script.ts'
import { call, resultOf, runHere } from '../world/fixture.ts'
import { branch, createSeveral, ownBranches, type Several, writeSpec } from '../world/several.ts'

/** A remote that others push to and fetch from, with the client's first commit. */
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

/** The clone of the second repository, and the commit that the work started from. */
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

test('a new run starts from what the URL has then, whatever a killed process left in the clone', async () => {
  const several = await createSeveral()
  const { fixture, client } = several
  onTestFinished(() => fixture.remove())
  const remote = await createRemote(several)
  const spec = await writeSpec(fixture, `repositories: { client: "${remote.url}" }`)
  const build = async (...ids: readonly string[]) => {
    const model = await writeScript(fixture, scriptOf(...ids))
    return fixture.drydock('run', spec, '--model', model, '--json', '--no-wait', '--again')
  }
  const first = await build('client')
  expect(first.exitCode, first.stderr).toBe(0)
  const clone = cloneOf(resultOf(first))
  await client.git('commit', '-q', '--allow-empty', '-m', 'later')
  await client.git('push', '-q', 'origin', 'trunk')
  const left = ['HEAD.lock', 'packed-refs.lock', 'refs/drydock/remote-head.lock', 'refs/remotes/origin/trunk.lock']
  for (const file of left) await writeFile(join(clone.path, '.git', file), '')
  await mkdir(`${clone.path}.new/.git`, { recursive: true })
  const second = await build('other')
  expect(second.exitCode, second.stderr).toBe(0)
  expect(cloneOf(resultOf(second))).toMatchObject({ path: clone.path, base: await client.git('rev-parse', 'HEAD') })
  expect(await client.git('-C', clone.path, 'show', `${branch}:client.txt`)).toBe('client')

  await rename(remote.path, `${remote.path}.gone`)
  const refused = await build('more')
  expect([refused.exitCode, refused.stderr]).toEqual([4, expect.stringMatching(/client\.git.* cannot be fetched/s)])
  expect((await fixture.drydock('report')).exitCode).toBe(0)
})
