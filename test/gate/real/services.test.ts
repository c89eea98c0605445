import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeVerifierWorld, processesWith, type VerifierInput, type VerifierWorld } from '../verifier-world.ts'

/** Answers each connection with its argument, and prints that. */
const server = `
const { createServer } = require('node:net')
const [, , port, word] = process.argv
createServer((socket) => socket.end(word)).listen(Number(port), '127.0.0.1', () => console.log(word, 'listens'))
`
/** Prints the answer of a server on the port. */
const asking = `
const { connect } = require('node:net')
connect(Number(process.argv[2]), '127.0.0.1').on('error', (error) => { console.log(error.code); process.exit(9) }).pipe(process.stdout)
`
const node = process.execPath
/** No other processes on this machine have these words. */
const mark = { file: `server-${process.pid}.cjs`, seconds: 1_000_000 + process.pid }
const hello = { command: `${node} ${mark.file} 7001 hello`, ready: { ports: [7001] } }
const askHello = `${node} ask.cjs 7001`

let world: VerifierWorld
beforeAll(async () => {
  const files = { [mark.file]: server, 'ask.cjs': asking }
  world = await makeVerifierWorld({ 'value.txt': 'old\n', ...files })
})
afterAll(() => world.close())

const ask = (asked: VerifierInput) => world.ask({ readOnlyPaths: [node], ...asked })

describe('a service of the steps', () => {
  test('listens in the sandbox alone, and what it says is in its log and not in that of the step', async () => {
    const answer = await ask({ services: [hello], steps: [{ command: `${askHello}; ls /tmp/services` }] })
    expect(answer).toMatchObject({ status: 'PASS', tail_log: 'helloserver' })
    expect(world.read(answer.run_id, 'logs/step-01-test.log')).toBe('helloserver\n')
    expect(world.read(answer.run_id, 'logs/step-01-test.service-server.log')).toBe('hello listens\n')
    expect(processesWith(mark.file)).toBe(0)
  })

  test('is there with others, each started when the one before is ready, and only for the steps that name it', async () => {
    const first = { ...hello, name: 'first' }
    const second = {
      name: 'second',
      command: `${askHello}; exec ${node} ${mark.file} 7002 you`,
      ready: { ports: [7002] },
    }
    const answer = await ask({
      services: [first, second],
      steps: [
        { name: 'both', command: `${askHello}; ${node} ask.cjs 7002` },
        { name: 'one', command: `${askHello}; ! ${node} ask.cjs 7002`, services: ['first'] },
        { name: 'none', command: `! ${askHello}`, services: [] },
      ],
    })
    expect(answer).toMatchObject({ status: 'PASS', tail_log: 'helloyouhelloECONNREFUSED\nECONNREFUSED' })
    expect(world.read(answer.run_id, 'logs/step-01-both.service-second.log')).toBe('helloyou listens\n')
    const started = answer.manifest?.commands_executed.map(({ services = [] }) => services.map(({ name }) => name))
    expect(started).toEqual([['first', 'second'], ['first'], []])
  })

  test('ends with its step, with all that it has started, also what ignores being ended', async () => {
    const forks = `trap '' TERM; (setsid sh -c "trap '' TERM INT HUP; sleep ${mark.seconds}" &) ; exec ${hello.command}`
    expect(await ask({ services: [{ ...hello, command: forks }], steps: [{ command: askHello }] })).toMatchObject({
      status: 'PASS',
    })
    expect(processesWith(`sleep ${mark.seconds}`)).toBe(0)
    expect(processesWith(mark.file)).toBe(0)
  })

  test('that ends during the step is named, and the exit code of the step decides', async () => {
    const untilAsked = 'until [ -e "$SERVICE_DIR/end" ]; do sleep 0.02; done'
    const dying = { ...hello, command: `${hello.command} & ${untilAsked}; kill $!; exit 5` }
    const waiting = `touch /tmp/services/server/end; while ${askHello} >/dev/null; do sleep 0.05; done`
    const red = await ask({ services: [dying], steps: [{ command: `${waiting}; exit 1` }] })
    const service = { name: 'server', exit_code: 5 }
    expect(red).toMatchObject({ status: 'FAIL', manifest: { commands_executed: [{ services: [service] }] } })
    expect(red.tail_log).toContain('[drydock] service server ended with exit code 5 during test: logs/step-01-test.')
    expect(await ask({ services: [dying], steps: [{ command: waiting }] })).toMatchObject({ status: 'PASS' })
  })
})
