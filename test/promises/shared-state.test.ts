import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFixture, type Fixture, resultOf } from '../scenarios/world/fixture.ts'

let fixture: Fixture
let root: string
let state: string

/** A state in which somebody has put a foreign mirror: its hook runs as any user of git there. */
beforeEach(async () => {
  fixture = await createFixture({ steps: [{ name: 'test', command: 'true' }] })
  root = fixture.env.DRYDOCK_HOME ?? ''
  state = (await fixture.open()).state
  await mkdir(state, { recursive: true })
  const mirror = join(state, 'mirror.git')
  await fixture.git('init', '-q', '--bare', mirror)
  await writeFile(join(mirror, 'config'), `[core]\n\tbare = true\n\thooksPath = ${join(mirror, 'hooks')}\n`)
  const hook = join(mirror, 'hooks', 'reference-transaction')
  await writeFile(hook, `#!/bin/sh\n: > ${join(fixture.folder, 'ran')}\n`)
  await chmod(hook, 0o755)
})

afterEach(() => fixture.remove())

const verify = () => fixture.drydock('verify', 'HEAD', '--json')

async function refused(folder: string) {
  const ended = await verify()
  expect(existsSync(join(fixture.folder, 'ran'))).toBe(false)
  expect(ended.exitCode, ended.stderr).toBe(2)
  expect(ended.events.at(-1)).toMatchObject({
    code: 'state_unusable',
    message: `Other users can change the state in ${folder}.`,
  })
}

test.each([
  ['everybody', 0o777],
  ['its group', 0o770],
])('nothing runs in a folder of all states that %s can write to', async (_who, mode) => {
  await chmod(root, mode)
  await refused(root)
})

test('nothing runs in a state that others can write to, even where they can remove nothing', async () => {
  await chmod(state, 0o1777)
  await refused(state)
})

test('nothing runs in a state that others can put another in place of', async () => {
  await chmod(fixture.folder, 0o777)
  await refused(fixture.folder)
})

test.runIf(process.getuid?.() === 0)('nothing runs in a state that another user has made', async () => {
  await chown(state, 65_534, 65_534)
  await refused(state)
})

test('a state of one’s own in a folder for everybody, such as /tmp, is used', async () => {
  await rm(state, { recursive: true })
  await chmod(root, 0o1777)
  expect(resultOf(await verify())).toMatchObject({ status: 'PASS' })
  expect(await readdir(root)).toHaveLength(1)
})
