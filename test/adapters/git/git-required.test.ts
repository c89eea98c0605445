import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { userEnvironment } from '../../../src/adapters/git/environment.ts'
import { createGit } from '../../../src/adapters/git/git.ts'
import { requireGit } from '../../../src/adapters/git/user-repository/require-git.ts'

let folder: string
let hostPath: string

/** A git that logs each call and claims to have this version. */
async function install(version: string): Promise<void> {
  const git = join(folder, 'git')
  await writeFile(git, `#!/bin/sh\necho asked >> ${join(folder, 'asked')}\necho git version ${version}\n`)
  await chmod(git, 0o755)
}

const required = () =>
  requireGit(createGit(userEnvironment({ PATH: hostPath })), { file: join(folder, 'known'), hostPath })
const asked = async () => (await readFile(join(folder, 'asked'), 'utf8')).split('\n').length - 1

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'git-required-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  hostPath = [folder, process.env.PATH].join(delimiter)
})

test('a git that is new enough is asked once, until its program changes', async () => {
  await install('2.50.0')
  await required()
  await required()
  expect(await asked()).toBe(1)
  await install('2.50.10')
  await required()
  expect(await asked()).toBe(2)
  await install('2.34.1')
  await expect(required()).rejects.toMatchObject({ code: 'git_too_old' })
})

test('one that is too old is asked each time', async () => {
  await install('2.34.1')
  await expect(required()).rejects.toMatchObject({ code: 'git_too_old' })
  await expect(required()).rejects.toMatchObject({ code: 'git_too_old' })
  expect(await asked()).toBe(2)
})
