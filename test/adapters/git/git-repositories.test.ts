import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stateName } from '../../../src/adapters/git/state-name.ts'
import { findRepository } from '../../../src/adapters/git/user-repository/find-repository.ts'
import { worldOfTest } from './git-world.ts'
import { theWholeWay, wentWell } from './whole-way.ts'

describe('the user’s repository may be', () => {
  test('an ordinary one', async () => {
    const made = worldOfTest()
    expect(await theWholeWay(made, made.repository)).toEqual(wentWell)
  })

  test('one with a submodule, whose files stay out', async () => {
    const made = worldOfTest()
    const library = join(made.top, 'library')
    made.gitIn(made.top, 'clone', '--quiet', made.repository, library)
    made.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'vendor/library')
    made.commitAll('with a submodule')
    expect(await theWholeWay(made, made.repository)).toEqual(wentWell)
  })
})

describe('findRepository', () => {
  test('finds the top from any folder below it, by its real path', async () => {
    const { repository, environment, top } = worldOfTest()
    mkdirSync(join(repository, 'a/b'), { recursive: true })
    symlinkSync(repository, join(top, 'link'))
    for (const folder of [repository, join(repository, 'a/b'), join(top, 'link')])
      expect(await findRepository(folder, environment)).toBe(realpathSync(repository))
  })

  test('is not led astray by GIT_DIR of the caller', async () => {
    const { repository, environment } = worldOfTest()
    expect(await findRepository(repository, { ...environment, GIT_DIR: '/nowhere' })).toBe(realpathSync(repository))
  })

  const refused = { code: 'not_a_repository', todo: expect.stringMatching(/./) }
  test('a folder outside any repository, a missing one, a bare one and a .git folder are errors with something to do', async () => {
    const { repository, environment, top, gitIn } = worldOfTest()
    const outside = mkdtempSync(join(tmpdir(), 'drydock-outside-'))
    gitIn(top, 'init', '--quiet', '--bare', 'bare.git')
    try {
      await expect(findRepository(outside, environment)).rejects.toMatchObject(refused)
      await expect(findRepository(join(outside, 'missing'), environment)).rejects.toMatchObject(refused)
      await expect(findRepository(join(top, 'bare.git'), environment)).rejects.toMatchObject({
        ...refused,
        message: expect.stringContaining('bare'),
      })
      await expect(findRepository(join(repository, '.git'), environment)).rejects.toMatchObject({
        ...refused,
        message: expect.stringContaining('.git'),
      })
    } finally {
      rmSync(outside, { recursive: true })
    }
  })
})

describe('stateName', () => {
  test('is the folder’s name and a hash of its real path', async () => {
    const { repository, top } = worldOfTest()
    symlinkSync(repository, join(top, 'link'))
    const name = await stateName(repository)
    expect(name).toMatch(/^my-r-po-[0-9a-f]{12}$/)
    expect(await stateName(join(top, 'link'))).toBe(name)
    expect(await stateName(top)).not.toBe(name.replace(basename(repository), ''))
  })
})
