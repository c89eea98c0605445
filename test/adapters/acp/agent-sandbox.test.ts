import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import { agentWorld, alive, outputs, prompted } from '../../acp/agent-world.ts'
import { hostScript } from '../../acp/host-script.ts'

const unique = () => `${process.pid}${process.hrtime.bigint()}`

describe('an agent in its sandbox', () => {
  test('neither reads nor writes a file outside of its workspace and its home', async () => {
    const { turn, folder, home } = await agentWorld()
    const secret = join(folder, 'secret.txt')
    writeFileSync(secret, 'canary')
    const program = join(folder, 'installed/lib/node_modules/scripted-agent/agent.js')
    const told = await turn([
      { read: secret },
      { read: '/repo/../secret.txt' },
      { run: `ln -s ${secret} link; cat link` },
      { run: 'cat /root/.bashrc /etc/shadow' },
      { write: '/usr/local/bin/node', text: 'changed' },
      { write: '/.drydock/agent/node', text: 'changed' },
      { write: program, text: 'changed' },
      // A private temporary folder.
      { write: secret, text: 'changed' },
      { write: '/home/agent/notes', text: 'its own' },
    ])
    const completed = outputs(told).map((line) => line.startsWith('completed'))
    expect(completed).toEqual([...Array(7).fill(false), true, true])
    expect(JSON.stringify(told.updates)).not.toContain('canary')
    expect(readFileSync(secret, 'utf8')).toBe('canary')
    expect(readFileSync(join(home, 'notes'), 'utf8')).toBe('its own')
  })

  test('cannot change a workspace that is read-only', async () => {
    const { turn, workspace } = await agentWorld({ access: 'read' })
    const told = await turn([
      { read: 'readme.md' },
      { write: 'readme.md', text: 'changed' },
      { run: 'rm readme.md' },
      { run: 'mount -o remount,rw /repo; touch /repo/new' },
    ])
    expect(outputs(told)).toEqual([
      'completed: A workspace.\n',
      expect.stringMatching(/^failed: EROFS/),
      expect.stringMatching(/^failed: .*Read-only file system/),
      expect.stringMatching(/^failed: .*Read-only file system/s),
    ])
    expect(readdirSync(workspace)).toEqual(['readme.md'])
  })

  test('reaches the port of its gateway, and neither the network nor another port of the host', async () => {
    const { turn } = await agentWorld()
    const host = createServer((client) => client.end())
    await once(host.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void host.close())
    const { port } = host.address() as { port: number }
    const told = await turn([
      { connect: '127.0.0.1:8130' },
      { connect: `127.0.0.1:${port}` },
      { connect: '192.0.2.1:80' },
      { connect: 'example.com:443' },
      { run: 'tail -n +3 /proc/net/dev | cut -d: -f1' },
    ])
    expect(outputs(told)).toEqual([
      'completed: connected',
      expect.stringMatching(/^failed: .*ECONNREFUSED/),
      expect.stringMatching(/^failed: .*ENETUNREACH/),
      expect.stringMatching(/^failed: .*(EAI_AGAIN|ENOTFOUND)/),
      expect.stringMatching(/^completed: +lo\n$/),
    ])
  })

  test('has no variable of the host but what it is given', async () => {
    const { turn } = await agentWorld()
    process.env.DRYDOCK_CANARY = 'canary'
    onTestFinished(() => {
      delete process.env.DRYDOCK_CANARY
    })
    const told = await turn([{ environment: true }, { run: 'cat /proc/[0-9]*/environ | tr "\\0" "\\n"' }])
    const [environment = '{}', ofOthers] = outputs(told).map((line) => line.replace('completed: ', ''))
    const { PATH, ...env } = JSON.parse(environment)
    expect(Object.keys(env).sort()).toEqual(
      ['BASE_URL', 'HOME', 'LANG', 'OLDPWD', 'PWD', 'TMPDIR'].filter((name) => name in env),
    )
    expect(env).toMatchObject({ BASE_URL: 'http://127.0.0.1:8130', HOME: '/home/agent' })
    expect(PATH.split(':')).not.toContain('')
    expect(ofOthers).not.toContain('canary')
  })

  test('sees the credentials that are named, read-only, and no link of its own leads them elsewhere', async () => {
    const { session, folder, home } = await agentWorld()
    const login = join(folder, 'auth.json')
    writeFileSync(login, 'a login')
    mkdirSync(join(folder, 'elsewhere'))
    symlinkSync(join(folder, 'elsewhere'), join(home, '.agent'))
    const steps = [{ read: '/home/agent/.agent/auth.json' }, { write: '/home/agent/.agent/auth.json', text: 'mine' }]
    const agent = await session({ turns: [{ steps }] }, { credentials: [{ path: login, at: '.agent/auth.json' }] })
    expect(outputs(await prompted(agent, 'Go.'))).toEqual([
      'completed: a login',
      expect.stringMatching(/^failed: EROFS/),
    ])
    expect(readFileSync(login, 'utf8')).toBe('a login')
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual([])
    expect(readFileSync(join(home, '.agent/auth.json'), 'utf8')).toBe('')
  })

  test('leaves nothing alive when it is closed, even if it does not end itself', async () => {
    const mark = unique()
    const { session } = await agentWorld()
    const agent = await session({
      ignoresEnd: true,
      turns: [{ steps: [{ leave: `trap '' TERM HUP; exec setsid sleep ${mark}` }, { waitFor: '/repo' }] }],
    })
    await prompted(agent, 'Go.')
    await expect.poll(() => alive(`sleep ${mark}`), { interval: 20 }).toHaveLength(1)
    await agent.close()
    expect(alive(`sleep ${mark}`)).toEqual([])
    expect((await prompted(agent, 'Go.')).end).toMatchObject({ type: 'failed', failure: { kind: 'died' } })
  })

  test('dies with Drydock', async () => {
    const mark = unique()
    const { starting, folder } = await agentWorld()
    const steps = [{ leave: `exec sleep ${mark}` }, { say: 'up' }, { plan: [] }, { hang: true }] as const
    const script = hostScript(starting({ ignoresEnd: true, turns: [{ steps }] }), folder)
    const host = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void host.kill('SIGKILL'))
    for await (const line of createInterface({ input: host.stdout })) if (line === 'plan') break
    await expect.poll(() => alive(`sleep ${mark}`), { interval: 20 }).toHaveLength(1)
    host.kill('SIGKILL')
    await expect.poll(() => alive(`sleep ${mark}`), { interval: 20 }).toEqual([])
  })
})
