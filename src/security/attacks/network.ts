import type { Attack } from '../attack.ts'
import { serveOnHost } from '../host-server.ts'
import { places, tryInside } from '../inside.ts'
import type { Range } from '../range.ts'

const everywhere = (name: string, script: string): readonly Attack[] =>
  places.map((place) => ({
    row: 'network',
    name: `${place} ${name}`,
    expected: 'nothing',
    run: (range) => tryInside(range, script, { place }),
  }))

const routes = `
  const interfaces = fs.readFileSync('/proc/net/dev', 'utf8').trim().split('\\n').slice(2).map((line) => line.trim().split(':')[0])
  for (const name of interfaces) await attempt('had the interface ' + name, () => name !== 'lo')
  for (const line of fs.readFileSync('/proc/net/route', 'utf8').trim().split('\\n').slice(1))
    await attempt('had a route by ' + line.split('\\t')[0], () => true)
  await attempt('reached 1.1.1.1', () => connects({ host: '1.1.1.1', port: 53 }))
  await attempt('reached an IPv6 address', () => connects({ host: '2606:4700:4700::1111', port: 53 }))
`

const names = `
  const patient = new dns.Resolver({ timeout: 500, tries: 1 })
  await attempt('resolved a name', () => dns.lookup('example.com'))
  await attempt('asked a name server', async () => { patient.setServers(['1.1.1.1']); await patient.resolveTxt('example.com') })
`

const metadata = `
  await attempt('reached 169.254.169.254', () => connects({ host: '169.254.169.254', port: 80 }))
  await attempt('reached fd00:ec2::254', () => connects({ host: 'fd00:ec2::254', port: 80 }))
`

const hostServer = (place: (typeof places)[number]): Attack => ({
  row: 'network',
  name: `${place} reaches a server on the host’s loopback`,
  expected: 'nothing; no connection came',
  async run(range) {
    await using server = await serveOnHost()
    const { port } = server
    const script = `for (const host of ['127.0.0.1', 'localhost', '10.0.2.2', 'host.containers.internal', 'host.docker.internal'])
      await attempt('reached ' + host, () => connects({ host, port: ${port} }))`
    const observed = await tryInside(range, script, { place })
    return `${observed}; ${server.reached() === 0 ? 'no connection' : 'a connection'} came`
  },
})

/** The proxy's answers to CONNECT in a `prepare` step. */
const askProxy = (hosts: readonly string[]) => `
  const { hostname, port } = new URL(environment.HTTP_PROXY)
  for (const host of ${JSON.stringify(hosts)}) {
    const answer = await new Promise((resolve) => {
      const socket = net.connect({ host: hostname, port })
      socket.on('error', () => resolve('no answer')).once('data', (data) => { resolve(String(data).split(' ')[1]); socket.destroy() })
      socket.write('CONNECT ' + host + ' HTTP/1.1\\r\\nHost: ' + host + '\\r\\n\\r\\n')
    })
    done.push(answer)
  }
`

interface ProxyAttack {
  readonly name: string
  readonly egress: (port: number) => readonly string[]
  readonly hosts: (port: number) => readonly string[]
}

const throughProxy = ({ name, egress, hosts }: ProxyAttack): Attack => ({
  row: 'network',
  name: `a prepare step reaches ${name}`,
  expected: 'refused; no connection came',
  async run(range) {
    await using server = await serveOnHost()
    const { port } = server
    // The sandbox's message for people follows the first line.
    const [observed = ''] = (await tryInside(range, askProxy(hosts(port)), { egress: egress(port) })).split('\n')
    const refused = observed.split(', ').every((status) => status === '403')
    return `${refused ? 'refused' : observed}; ${server.reached() === 0 ? 'no connection' : 'a connection'} came`
  },
})

const aroundProxy: Attack = {
  row: 'network',
  name: 'a prepare step goes around its proxy',
  expected: 'nothing',
  run: (range: Range) => tryInside(range, routes, { egress: ['named.example'] }),
}

export const networkAttacks: readonly Attack[] = [
  ...everywhere('has a route, or an interface beside its own loopback', routes),
  ...everywhere('resolves a name', names),
  ...everywhere('reaches the metadata address of a cloud', metadata),
  ...places.map(hostServer),
  throughProxy({
    name: 'a host that is not on its list',
    egress: () => ['named.example'],
    hosts: (port) => ['other.example:443', 'named.example.other.example:443', 'named.example:22', `127.0.0.1:${port}`],
  }),
  throughProxy({
    name: 'the host itself by a name that is on its list',
    egress: (port) => [`localhost:${port}`],
    hosts: (port) => [`localhost:${port}`, `LocalHost.:${port}`],
  }),
  throughProxy({
    name: 'a private or metadata address, however it is written',
    egress: (port) => [`127.0.0.1:${port}`, '169.254.169.254', `2130706433:${port}`],
    hosts: (port) => [
      `127.0.0.1:${port}`,
      `2130706433:${port}`,
      `0x7f000001:${port}`,
      `[::1]:${port}`,
      `[::ffff:7f00:1]:${port}`,
      '169.254.169.254:80',
      '[fd00:ec2::254]:80',
      '10.0.0.1:80',
    ],
  }),
  aroundProxy,
]
