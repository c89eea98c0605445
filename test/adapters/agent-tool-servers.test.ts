import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createAgentToolServers } from '../../src/adapters/agent-tools/agent-tool-servers.ts'
import { limits } from '../../src/domain/limits.ts'

const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
const greeting = `${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })}\n`

test('an agent has so many connections to its tools, and no more', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-tools-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const socket = join(folder, 't')
  const call = async () => ({ ok: true, output: '' })
  const server = await createAgentToolServers('1.0.0').open({ socket, tools: [], call })
  onTestFinished(() => server.close())
  const most = limits.agentTurn.toolConnections
  const ends = await Promise.all(Array.from({ length: most + 4 }, () => greeted(socket)))
  expect(ends.filter((end) => end === 'answered')).toHaveLength(most)
})

function greeted(socket: string): Promise<'answered' | 'closed'> {
  return new Promise((done) => {
    const client = connect(socket)
    onTestFinished(() => void client.destroy())
    client.once('data', () => done('answered'))
    client.once('error', () => done('closed'))
    client.once('close', () => done('closed'))
    client.write(greeting)
  })
}
