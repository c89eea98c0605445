import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type BareHub, codeOf, serveBareHub, signInWith } from './bare-hub.ts'
import { type Answer, type Asking, ask } from './browser.ts'
import { serveOpenId } from './openid-server.ts'

const nginx = '/usr/sbin/nginx'
const example = fileURLToPath(new URL('../../deploy/nginx.conf', import.meta.url))
const dashboard = fileURLToPath(new URL('../../dist/dashboard', import.meta.url))

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** The example, with only its file names, ports and host replaced. */
async function serveNginx(hubPort: number, port: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-nginx-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const options = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const subject = ['-subj', '/CN=hub.example.com', '-addext', 'subjectAltName=DNS:hub.example.com']
  execFileSync('openssl', [...options, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  const site = (await readFile(example, 'utf8'))
    .replaceAll('127.0.0.1:4517', `127.0.0.1:${hubPort}`)
    .replaceAll('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replaceAll('/etc/drydock/tls', folder)
  await writeFile(join(folder, 'site.conf'), site)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  await Promise.all(temporary.map((name) => mkdir(join(folder, name))))
  const paths = temporary.map((name) => `${name}_temp_path ${join(folder, name)};`).join(' ')
  const rest = `pid ${join(folder, 'pid')}; daemon off; master_process off; error_log stderr;`
  await writeFile(
    join(folder, 'nginx.conf'),
    `${rest} events {} http { access_log ${join(folder, 'access.log')}; ${paths} include ${join(folder, 'site.conf')}; }`,
  )
  execFileSync(nginx, ['-t', '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], { stdio: 'pipe' })
  const child = spawn(nginx, ['-c', join(folder, 'nginx.conf'), '-e', 'stderr'], { stdio: 'ignore' })
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await rm(folder, { recursive: true, force: true })
  })
  return folder
}

interface Through {
  readonly hub: BareHub
  readonly origin: string
  readonly folder: string
  reach(path: string, asking?: Asking): Promise<Answer>
}

/** A hub behind nginx. */
async function world(more: Parameters<typeof serveBareHub>[0] = {}): Promise<Through> {
  const [port, hubPort] = [await freePort(), await freePort()]
  const origin = `https://hub.example.com:${port}`
  const hub = await serveBareHub({
    door: { host: '127.0.0.1', port: hubPort, tls: null, proxyOrigin: origin },
    folder: dashboard,
    ...more,
  })
  const folder = await serveNginx(hubPort, port)
  const ca = await readFile(join(folder, 'cert.pem'))
  const once = (path: string, { method = 'GET', headers = {}, body }: Asking) =>
    new Promise<Answer>((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path, method, ca, servername: 'hub.example.com', agent: false }
      const sent = request({ ...options, headers: { Host: `hub.example.com:${port}`, ...headers } }, (response) => {
        const { statusCode: status = 0, headers: got } = response
        text(response).then((body) => resolve({ status, headers: got, body }), reject)
      })
      sent.on('error', reject).end(body)
    })
  const reach: Through['reach'] = async (path, asking = {}) => {
    for (;;) {
      try {
        return await once(path, asking)
      } catch (error) {
        // Nginx has just been started.
        if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error
      }
    }
  }
  return { hub: { ...hub, port: hubPort }, origin, folder, reach }
}

describe.runIf(existsSync(nginx))('behind the nginx of the example', () => {
  test('a hub answers to its own name alone, and knows who asks, whatever they write', async () => {
    const { hub, origin, reach } = await world()
    const token = await hub.token('ada', 'operator')
    const bearer = { Authorization: `Bearer ${token}` }
    expect((await reach('/api/tokens', { headers: bearer })).status).toBe(403)
    expect((await reach('/health/ready')).status).toBe(404)
    expect((await ask(hub.port, '/health/live')).status).toBe(200)
    expect(codeOf(await reach('/api/runs', { headers: { ...bearer, Host: 'evil.example' } }))).toBe(
      '403 foreign_request',
    )
    expect(codeOf(await ask(hub.port, '/api/runs', { headers: bearer }))).toBe('403 foreign_request')
    const { headers, ...asking } = signInWith(origin, 'not a token')
    await reach('/session', { ...asking, headers: { ...headers, 'X-Forwarded-For': '203.0.113.7, 203.0.113.8' } })
    expect(hub.audit.at(-1)).toContain('"what":"sign_in_failed","from":"127.0.0.1"')
    const signed = await reach('/session', signInWith(origin, token))
    expect(signed.headers['set-cookie']?.[0]).toMatch(/^__Host-drydock-hub=[^;]+; Path=\/; .*HttpOnly; Secure;/)
    expect(signed.headers['strict-transport-security']).toBe('max-age=31536000')
    const large = { method: 'POST', headers: { ...bearer, 'Content-Type': 'application/json' }, body: 'x'.repeat(5e6) }
    expect((await reach('/api/tasks', large)).status).toBe(413)
  })

  test('a person signs in with the provider of the team in a browser, and sees what happens at once', async () => {
    const openid = await serveOpenId()
    openid.as = 'u-ada'
    openid.people.set('u-ada', { email: 'ada@example.com', email_verified: true, groups: ['crew'] })
    const { hub, origin, folder, reach } = await world({
      openPeopleDoor: openid.door({ roles: { viewer: { groups: ['crew'] } } }),
      connect: async () => ({ look: () => {}, close: () => {} }),
    })
    openid.start(origin)
    const browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: ['--no-sandbox', '--host-resolver-rules=MAP hub.example.com 127.0.0.1'],
    })
    onTestFinished(() => browser.close())
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    context.setDefaultTimeout(60_000)
    const page = await context.newPage()
    await reach('/server')
    await page.goto(origin)
    await page.getByRole('button', { name: /^Sign in with 127/ }).click()
    await page.getByRole('button', { name: 'Sign out ada@example.com (viewer)' }).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await hub.rows.deleteHubToken('ada@example.com')
    await page.getByText('Your session has ended').waitFor()
    const [cookie] = (await context.cookies(origin)).filter(({ name }) => name === '__Host-drydock-hub')
    expect(cookie).toMatchObject({ secure: true, httpOnly: true, sameSite: 'Strict' })
    // The code appears in an address once, and is useless without the browser's cookie.
    expect(await readFile(join(folder, 'access.log'), 'utf8')).not.toMatch(/drydock_hub_|token=/)
  })
})
