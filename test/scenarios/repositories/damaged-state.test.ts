import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFixture, type Fixture, resultOf } from '../world/fixture.ts'

let fixture: Fixture
let state: string
beforeAll(async () => {
  fixture = await createFixture({ steps: [{ name: 'test', command: 'true' }] })
  state = (await fixture.open()).state
  expect((await verify()).exitCode).toBe(0)
})
afterAll(() => fixture.remove())

const verify = () => fixture.drydock('verify', 'HEAD', '--json')

test('folders in the place of the socket and of what it says are in nobody’s way', async () => {
  for (const name of ['owner.sock', 'owner.sock.json', 'owner.sock.json.new'])
    await mkdir(join(state, name, 'deep'), { recursive: true })
  const ended = await verify()
  expect(ended.exitCode, ended.stderr).toBe(0)
  expect(resultOf(ended).status).toBe('PASS')
})

test('an invalid lock is named, and never replaced', async () => {
  const file = join(state, 'owner.lock')
  await writeFile(file, 'garbage '.repeat(500))
  const ended = await verify()
  expect([ended.exitCode, ended.stderr]).toEqual([2, expect.stringContaining(`remove ${file}`)])
  expect(await readFile(file, 'utf8')).toContain('garbage')
  await rm(file)
})

/** The last test, since nothing in this state can be read afterwards. */
test('a database that is cut off is named, with what to do, and is left as it is', async () => {
  const file = join(state, 'drydock.db')
  const cut = (await readFile(file)).subarray(0, 5_000)
  for (const extra of ['-wal', '-shm']) await rm(`${file}${extra}`, { force: true })
  await writeFile(file, cut)
  for (const command of [['verify', 'HEAD'], ['status']]) {
    const ended = await fixture.drydock(...command, '--json')
    expect([ended.exitCode, ended.stderr]).toEqual([2, expect.stringContaining(`${file} cannot be read`)])
    expect(ended.stderr).toContain(`move ${state} away`)
  }
  expect(await readFile(file)).toEqual(cut)
})
