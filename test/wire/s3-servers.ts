import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const bucket = 'kept'

/** A server of S3's protocol with an empty bucket. */
export interface S3Server {
  readonly url: string
  close(): Promise<void>
}

/** The only key id that s3rver knows. */
export const keyId = 'S3RVER'

export async function startS3rver(): Promise<S3Server> {
  const { default: S3rver } = await import('s3rver')
  const directory = await mkdtemp(join(tmpdir(), 'drydock-s3rver-'))
  const at = { address: '127.0.0.1', port: 0, silent: true, directory }
  const server = new S3rver({ ...at, configureBuckets: [{ name: bucket }] })
  const { port } = await server.run()
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export async function startFauxqs(host = '127.0.0.1'): Promise<S3Server> {
  const { startFauxqs: start } = await import('fauxqs')
  const server = await start({ port: 0, host, logger: false })
  server.createBucket(bucket)
  return { url: `http://${host}:${server.port}`, close: () => server.stop() }
}
