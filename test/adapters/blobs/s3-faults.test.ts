import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createS3Blobs } from '../../../src/adapters/blobs/s3/s3-blobs.ts'
import { DrydockError } from '../../../src/domain/drydock-error.ts'
import { s3Settings } from '../../contracts/blob-places.ts'
import { answers, type Between, breaksOff, errorXml, hangs, standBetween } from '../../wire/s3-between.ts'
import { type S3Server, startS3rver } from '../../wire/s3-servers.ts'

const { signal } = new AbortController()
const words = Buffer.from('one\ntwo\nthree\n')
const digest = createHash('sha256').update(words).digest('hex')
const folder = { space: 'faults', name: 'one' }

let server: S3Server
let between: Between
beforeAll(async () => {
  server = await startS3rver()
  between = await standBetween(server.url)
  await blobs().put(words, signal)
})
afterEach(() => between.fault(null))
afterAll(async () => {
  await between.close()
  await server.close()
})

const store = (more: { now?: () => Date; requestMs?: number } = {}) =>
  createS3Blobs(s3Settings(between.url), { now: () => new Date(), ...more })
const blobs = (more = {}) => store(more).at(folder)

async function failureOf(work: Promise<unknown>): Promise<DrydockError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof DrydockError)) throw new Error(`no error that people see: ${error}`)
  expect(`${error.message} ${error.todo}`).not.toContain('canary')
  return error
}

test.each([
  [403, 'AccessDenied', 'blobs_refused'],
  [403, 'SignatureDoesNotMatch', 'blobs_refused'],
  [404, 'NoSuchBucket', 'blobs_refused'],
  [400, 'InvalidBucketName', 'blobs_refused'],
  [500, 'InternalError', 'blobs_unreachable'],
  [503, 'SlowDown', 'blobs_unreachable'],
  [429, 'TooManyRequests', 'blobs_unreachable'],
])('an answer %i %s is told by its number and word, as %s', async (status, code, expected) => {
  between.fault(answers(status, {}, errorXml(code)))
  const told = { code: expected, message: expect.stringContaining(`${status} (${code})`) }
  expect(await failureOf(blobs().put(words, signal))).toMatchObject(told)
  expect(await failureOf(blobs().get(digest, null, signal))).toMatchObject(told)
  expect(await failureOf(store().folders('faults', signal))).toMatchObject(told)
})

test('only the error code of an answer is repeated', async () => {
  between.fault(answers(403, {}, '<Error><Code>\u001b[2Jcanary</Code></Error> canary'))
  expect((await failureOf(blobs().get(digest, null, signal))).message).toMatch(/answered 403\.$/)
})

test('a redirect is not followed, so nothing that is signed reaches another host', async () => {
  let visits = 0
  const other = createServer((_request, response) => {
    visits += 1
    response.end('taken')
  }).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  try {
    for (const status of [301, 302, 307, 308]) {
      between.fault(answers(status, { location: `http://127.0.0.1:${port}/` }))
      expect(await failureOf(blobs().put(words, signal))).toMatchObject({ code: 'blobs_refused' })
      expect(await failureOf(blobs().get(digest, null, signal))).toMatchObject({ code: 'blobs_refused' })
    }
    expect(visits).toBe(0)
  } finally {
    other.close()
  }
})

test('a page that says yes to everything has kept nothing', async () => {
  between.fault(answers(200, { 'content-type': 'text/html' }, '<html><p>Sign in<br></html>'))
  expect(await failureOf(blobs().put(words, signal))).toMatchObject({ code: 'blobs_refused' })
  expect(await failureOf(blobs().get(digest, null, signal))).toMatchObject({ code: 'blob_damaged' })
  expect(await failureOf(store().folders('faults', signal))).toMatchObject({ code: 'blobs_refused' })
})

test('an answer that breaks off, and a connection that does, are failures that pass', async () => {
  between.fault((_asked, response) => {
    response.writeHead(200, { 'content-length': `${words.byteLength}` })
    response.write(words.subarray(0, 5), () => response.destroy())
    return 'answered'
  })
  expect(await failureOf(blobs().get(digest, null, signal))).toMatchObject({ code: 'blobs_unreachable' })
  between.fault(breaksOff)
  expect(await failureOf(blobs().put(words, signal))).toMatchObject({ code: 'blobs_unreachable' })
  await between.close()
  expect(await failureOf(blobs().put(words, signal))).toMatchObject({
    message: expect.stringContaining('ECONNREFUSED'),
  })
  between = await standBetween(server.url)
})

test('other bytes, a shorter answer and one without an end are all told as damaged', async () => {
  for (const body of ['one\ntwo\nThree\n', 'one\n', '']) {
    between.fault(answers(200, {}, body))
    expect(await failureOf(blobs().get(digest, null, signal))).toMatchObject({ code: 'blob_damaged' })
  }
  let isOver = false
  between.fault((_asked, response) => {
    const chunk = Buffer.alloc(1 << 20)
    const more = () => {
      while (!response.destroyed && response.write(chunk));
      response.once('drain', more)
    }
    response.once('close', () => {
      isOver = true
    })
    more()
    return 'answered'
  })
  expect(await failureOf(blobs().get(digest, null, signal))).toMatchObject({ code: 'blob_damaged' })
  await expect.poll(() => isOver).toBe(true)
})

test('a server that never answers is given up, before its answer and in the middle of it', async () => {
  const impatient = { requestMs: 50 }
  between.fault(hangs)
  expect((await failureOf(blobs(impatient).put(words, signal))).message).toContain('gave no answer within 0.05 s')
  between.fault((_asked, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('half')
    return 'answered'
  })
  expect((await failureOf(blobs(impatient).get(digest, null, signal))).message).toContain('gave no answer within')
  const stop = new AbortController()
  between.fault(() => {
    stop.abort(new Error('the process ends'))
    return 'answered'
  })
  await expect(blobs().get(digest, null, stop.signal)).rejects.toThrow('the process ends')
})

test('a clock that is hours off is made up for by that of the server, once for all requests', async () => {
  for (const hours of [-5, 5]) {
    const wrong = blobs({ now: () => new Date(Date.now() + hours * 3_600_000) })
    const before = between.asked.length
    await wrong.put(words, signal)
    expect(await wrong.get(digest, null, signal)).not.toBeNull()
    expect(between.asked.length - before).toBe(3)
  }
  between.fault(answers(403, { date: 'Thu, 01 Jan 2026 00:00:00 GMT' }, errorXml('RequestTimeTooSkewed')))
  expect((await failureOf(blobs().put(words, signal))).message).toContain('RequestTimeTooSkewed')
})

test('a list that comes in pages is read to its end, and names of others in it are not deleted', async () => {
  const page = (keys: readonly string[], next: string | null) =>
    `<ListBucketResult>${keys.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')}<IsTruncated>${next !== null}</IsTruncated>${
      next === null ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`
    }</ListBucketResult>`
  const own = (i: number) => `team/faults/listed/${`${i}`.repeat(64)}`
  const deleted: string[] = []
  between.fault(({ method, path }, response) => {
    if (method === 'DELETE') deleted.push(decodeURIComponent(path))
    const body = path.includes('continuation-token=two%2B%2F')
      ? page([own(3), 'team/other/run/secret', `team/faults/listed/../../${'a'.repeat(64)}`], null)
      : page([own(1), own(2)], 'two+/')
    response.writeHead(method === 'DELETE' ? 204 : 200).end(method === 'DELETE' ? '' : body)
    return 'answered'
  })
  await store().remove({ space: 'faults', name: 'listed' }, signal)
  expect(deleted.sort()).toEqual([1, 2, 3].map((i) => `/kept/${own(i)}`))
})

test('without credentials nothing is sent', async () => {
  const before = between.asked.length
  const bare = createS3Blobs({ ...s3Settings(between.url), credentials: null }, { now: () => new Date() })
  expect((await failureOf(bare.at(folder).put(words, signal))).todo).toContain('AWS_ACCESS_KEY_ID')
  expect(between.asked).toHaveLength(before)
})
