import { XMLParser } from 'fast-xml-parser'
import { z } from 'zod'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import type { S3Requests } from './s3-requests.ts'

interface Listing {
  readonly prefix: string
  /** True to list only the folders of keys that lie deeper. */
  readonly byFolder: boolean
}

interface KeyList {
  readonly keys: readonly string[]
  readonly folders: readonly string[]
}

const page = z.object({
  ListBucketResult: z.object({
    Contents: z.array(z.object({ Key: z.string() })).default([]),
    CommonPrefixes: z.array(z.object({ Prefix: z.string() })).default([]),
    IsTruncated: z.string().default('false'),
    NextContinuationToken: z.string().optional(),
  }),
})

const parser = new XMLParser({
  parseTagValue: false,
  isArray: (name) => name === 'Contents' || name === 'CommonPrefixes',
})

/** All keys below a prefix, page by page. */
export async function listKeys(send: S3Requests, { prefix, byFolder }: Listing, signal: AbortSignal): Promise<KeyList> {
  const keys: string[] = []
  const folders: string[] = []
  let token: string | undefined
  for (let pages = 0; pages < limits.blobs.pages; pages += 1) {
    const query = {
      'list-type': '2',
      prefix,
      ...(byFolder && { delimiter: '/' }),
      ...(token !== undefined && { 'continuation-token': token }),
    }
    const result = pageIn(await send({ method: 'GET', key: '', query }, signal))
    keys.push(...result.Contents.map(({ Key }) => Key))
    folders.push(...result.CommonPrefixes.map(({ Prefix }) => Prefix))
    token = result.NextContinuationToken
    if (result.IsTruncated !== 'true' || !token) return { keys, folders }
  }
  throw notAList()
}

function pageIn(body: Uint8Array | null): z.infer<typeof page>['ListBucketResult'] {
  try {
    return page.parse(parser.parse(Buffer.from(body ?? []).toString('utf8'))).ListBucketResult
  } catch {
    throw notAList()
  }
}

function notAList(): DrydockError {
  return new DrydockError('blobs_refused', 'The bucket was asked for its keys, and answered with something else.', {
    todo: 'Name the endpoint of an S3 server in "state.blobs.s3", then try: drydock doctor',
  })
}
