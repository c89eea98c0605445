import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { removeFolder } from '../../../src/adapters/artifacts/remove-folder.ts'
import { agentWorld, prompted } from '../../acp/agent-world.ts'
import { hostScript } from '../../acp/host-script.ts'

describe('an agent in its sandbox', () => {
  test('starts again in a home that its last turn has left in its way', async () => {
    const { session, home } = await agentWorld()
    onTestFinished(() => removeFolder(home))
    const files = () => ({ '.mine/settings.json': '{}' })
    const name = 'a'.repeat(200)
    const deep = `for i in $(seq 40); do mkdir ${name}; cd ${name}; done`
    const run = `rm ~/.mine/settings.json; mkdir ~/.mine/settings.json; cd ~/.mine/settings.json; ${deep}; chmod 0 ~/.mine ~`
    const before = await session({ turns: [{ steps: [{ run }] }] }, { files })
    expect((await prompted(before, 'Go.')).end).toMatchObject({ type: 'ended' })
    await before.close()
    await session({ turns: [] }, { files })
    expect(readFileSync(join(home, '.mine/settings.json'), 'utf8')).toBe('{}')
  })

  test('is ended when it fills the disk', async () => {
    const { starting, folder, home } = await agentWorld()
    const fill = 'head -c $(($(df -k --output=avail ~ | tail -1) - 1024))k /dev/zero > ~/large; echo filled'
    const start = starting({ turns: [{ steps: [{ run: fill }, { hang: true }] }] })
    const env = { PATH: process.env.PATH, NODE: process.execPath, SCRIPT: hostScript(start, folder), AGENT_HOME: home }
    const small =
      'mount -t tmpfs -o size=32m none "$AGENT_HOME" && exec "$NODE" --input-type=module-typescript --eval "$SCRIPT"'
    const namespace = ['--user', '--map-root-user', '--mount', 'sh', '-c', small]
    const { stdout } = await promisify(execFile)('unshare', namespace, { env })
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual({
      type: 'failed',
      failure: {
        kind: 'sandbox',
        message: expect.stringMatching(/^The agent scripted failed: The disk was running full: .* so it was ended$/),
      },
    })
  })
})
