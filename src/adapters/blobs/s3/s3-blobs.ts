import type { BlobFolder, BlobStore } from '../../../ports/blobs.ts'
import { checked, digestOf, isWord, mustBeDigest, mustBeWord, wholeBlob } from '../check-blob.ts'
import { listKeys } from './list-keys.ts'
import { createS3Requests, type S3Timing } from './s3-requests.ts'
import { type S3Settings, shownPlace } from './s3-settings.ts'

/** `<prefix>/<space>/<name>/<digest>` in a bucket. */
export function createS3Blobs(settings: S3Settings, timing: S3Timing): BlobStore {
  const send = createS3Requests(settings, timing)
  const spaceOf = (space: string) => `${settings.prefix === '' ? '' : `${settings.prefix}/`}${mustBeWord(space)}/`
  const folderOf = ({ space, name }: BlobFolder) => `${spaceOf(space)}${mustBeWord(name)}/`
  return {
    place: shownPlace(settings),
    at(blobs) {
      const folder = folderOf(blobs)
      const keyOf = (digest: string) => `${folder}${mustBeDigest(digest)}`
      return {
        async put(content, signal) {
          const body = await wholeBlob(content)
          const digest = digestOf(body)
          // The digest is part of the signature, so a server that received other content refuses
          // it.
          await send({ method: 'PUT', key: keyOf(digest), body }, signal)
          return { digest, bytes: body.byteLength }
        },
        async get(digest, range, signal) {
          const found = await send({ method: 'GET', key: keyOf(digest) }, signal)
          return found === null ? null : checked(found, digest, range)
        },
        async delete(digest, signal) {
          await send({ method: 'DELETE', key: keyOf(digest) }, signal)
        },
      }
    },
    async folders(space, signal) {
      const prefix = spaceOf(space)
      const { folders } = await listKeys(send, { prefix, byFolder: true }, signal)
      return folders.map((key) => key.slice(prefix.length).replace(/\/$/, '')).filter(isWord)
    },
    async remove(blobs, signal) {
      const prefix = folderOf(blobs)
      const { keys } = await listKeys(send, { prefix, byFolder: false }, signal)
      // A server may list any keys; only those below the prefix are ours.
      const own = keys.filter((key) => key.startsWith(prefix) && /^[0-9a-f]{64}$/.test(key.slice(prefix.length)))
      for (const key of own) await send({ method: 'DELETE', key }, signal)
    },
  }
}
