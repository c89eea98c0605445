import { mkdir, readdir, readlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { VerificationList } from '../../src/api/verifications.ts'
import { createFixture } from '../scenarios/world/fixture.ts'
import { ask } from './browser.ts'
import { serveHere } from './served.ts'

test('a request for only the head of a large file does not open it', async () => {
  const fixture = await createFixture({ steps: [{ name: 'test', command: 'true' }] })
  onTestFinished(() => fixture.remove())
  const verified = await fixture.drydock('verify', '--json')
  const served = await serveHere(fixture)
  onTestFinished(() => served.close())
  const run = String(verified.events[0]?.run)
  const { verifications } = await served.page.get<VerificationList>(`/api/runs/${run}/verifications`)
  const id = verifications[0]?.run_id ?? ''
  const file = join(served.drydock.artifacts, 'runs', id, 'build', 'large.bin')
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, Buffer.alloc(4 << 20))
  const path = `/api/verifications/${id}/file?path=build/large.bin`
  const { status, body } = await ask(served.port, path, { method: 'HEAD', headers: served.page.headers })
  expect([status, body]).toEqual([200, ''])
  const open = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''))
  expect(await Promise.all(open)).not.toContain(file)
})
