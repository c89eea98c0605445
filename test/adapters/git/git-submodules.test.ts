import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commitIn, given, inSubmoduleWorlds, library, local, shown, worlds } from './git-submodules-world.ts'
import { makeWorld, writeFiles } from './git-world.ts'

inSubmoduleWorlds()

describe('the submodules of a commit', () => {
  test('are none in a repository without any', async () => {
    const world = makeWorld()
    worlds.push(world)
    await world.workTrees.initialize([])
    await world.userRepository.updateMirror(world.signal)
    expect(await world.workTrees.submodules(world.git('rev-parse', 'HEAD'), world.signal)).toEqual([])
    expect(existsSync(join(world.state, 'artifacts'))).toBe(false)
  })
})

describe('submodules of submodules', () => {
  test('are in their place, and missed by name until they are there', async () => {
    const world = await given()
    const { repository, path, origin, submodules, cached, signal } = world
    const inner = library(world, 'inner', { 'inner.txt': 'inner\n' })
    world.gitIn(origin, ...local, 'submodule', '--quiet', 'add', inner, 'deep/inner')
    const commit = commitIn(world, origin)
    const inside = join(repository, path)
    world.gitIn(inside, 'pull', '--quiet')
    const tip = world.commitAll('a newer one')
    const [partial] = await submodules(tip)
    expect(partial).toMatchObject({
      commit,
      folder: expect.stringContaining(`${commit}-without-`),
      reason: 'The submodule "vendor/lib ü" lacks its own "deep/inner": git submodule update --init --recursive',
    })
    expect(shown(partial?.folder)).toMatchObject({ 'lib.txt': 'one\n', 'deep/inner/': '755' })
    expect(await world.workTrees.submodules(tip, signal)).toEqual([partial])

    world.git(...local, 'submodule', '--quiet', 'update', '--init', '--recursive')
    expect(await submodules(tip)).toEqual([{ path, commit, folder: cached(commit) }])
    expect(shown(cached(commit))).toMatchObject({ 'lib.txt': 'one\n', 'deep/inner/inner.txt': 'inner\n' })
  })
})

describe('a hostile tree', () => {
  test('cannot reach anything by what its .gitmodules says', async () => {
    const world = await given()
    const { top, repository, path, commit, submodules, cached } = world
    const secret = library(world, 'secret', { 'key.txt': 'secret\n' })
    const marker = join(top, 'marker')
    const helper = `ext::sh -c "touch '${marker}'"`
    const entries = ['../../../secret/.git', '..', '/etc', 'a/../../x', '-u', '']
      .map((name) => `[submodule ${JSON.stringify(name)}]\n\tpath = ../outside\n\turl = ${JSON.stringify(helper)}\n`)
      .join('')
    const own = `[submodule "lib"]\n\tpath = ${JSON.stringify(path)}\n\turl = ${JSON.stringify(helper)}\n\tupdate = !touch ${JSON.stringify(marker)}\n`
    writeFiles(repository, { '.gitmodules': `[include]\n\tpath = ${JSON.stringify(secret)}\n${entries}${own}` })
    const stolen = world.gitIn(secret, 'rev-parse', 'HEAD')
    world.git('update-index', '--add', '--cacheinfo', `160000,${stolen},stolen`)
    world.git('add', '.gitmodules')
    world.git('commit', '--quiet', '--message', 'hostile')
    expect(await submodules(world.git('rev-parse', 'HEAD'))).toEqual([
      {
        path: 'stolen',
        commit: stolen,
        folder: null,
        reason: 'The commit of the submodule "stolen" is not in this repository: git submodule update --init stolen',
      },
      { path, commit, folder: cached(commit) },
    ])
    expect(existsSync(marker)).toBe(false)
  })

  test('runs no hook, filter or configuration of the submodule', async () => {
    const files = { '.gitattributes': '*.txt filter=evil diff=evil\n', 'lib.txt': 'one\n' }
    const { top, repository, tip, commit, submodules, cached } = await given(files)
    const marker = join(top, 'marker')
    const module = join(repository, '.git/modules/vendor/lib ü')
    const evil = `touch '${marker}'; cat`
    writeFileSync(
      join(module, 'config'),
      `${readFileSync(join(module, 'config'), 'utf8')}[filter "evil"]\n\tsmudge = ${JSON.stringify(evil)}\n\trequired = true\n[core]\n\tfsmonitor = ${JSON.stringify(evil)}\n`,
    )
    writeFiles(module, {
      'hooks/post-checkout': `#!/bin/sh\n${evil}\n`,
      'hooks/post-index-change': `#!/bin/sh\n${evil}\n`,
    })
    expect(await submodules(tip)).toMatchObject([{ folder: cached(commit) }])
    expect(shown(cached(commit))).toEqual({ '.gitattributes': files['.gitattributes'], 'lib.txt': 'one\n' })
    expect(existsSync(marker)).toBe(false)
  })
})
