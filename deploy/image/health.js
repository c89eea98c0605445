import { readFileSync } from 'node:fs'
import { request as plain } from 'node:http'
import { request as encrypted } from 'node:https'

/**
 * The healthcheck of the image: a hub answers, whatever certificate it has. Every other command
 * listens nowhere, and is healthy for as long as it runs. A file stands for the command line of
 * the first process.
 */
const [, , file = '/proc/1/cmdline'] = process.argv
const words = readFileSync(file, 'utf8').split('\0')
const [command, ...options] = words.slice(words.indexOf('drydock') + 1)

const optionOf = (name) => {
  const at = options.findIndex((each) => each === name || each.startsWith(`${name}=`))
  return at < 0 ? undefined : options[at].slice(name.length + 1) || options[at + 1]
}

if (command === 'hub') {
  const [, named, port] = /^\[?([^\]]*)\]?:(\d+)$/.exec(optionOf('--listen') ?? '127.0.0.1:4517') ?? []
  // A hub that listens at all addresses listens at the local one.
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[named] ?? named
  const request = optionOf('--tls-cert') === undefined ? plain : encrypted
  const asked = { host, port, path: '/health/live', rejectUnauthorized: false, timeout: 5_000 }
  request(asked, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
    .on('timeout', () => process.exit(1))
    .on('error', () => process.exit(1))
    .end()
}
