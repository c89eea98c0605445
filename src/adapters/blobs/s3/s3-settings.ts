/** A bucket, and the address and credentials for it. */
export interface S3Settings {
  /** `https://s3.example`, without a path; null for Amazon's own endpoint. */
  readonly endpoint: string | null
  readonly region: string
  readonly bucket: string
  /** The prefix of all keys; empty, or without a slash at its ends. */
  readonly prefix: string
  /** Null if none are configured. */
  readonly credentials: S3Credentials | null
}

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
}

/** The bucket and its host, without credentials, for messages. */
export function shownPlace({ endpoint, region, bucket, prefix }: S3Settings): string {
  const where = endpoint === null ? region : new URL(endpoint).host
  return `s3://${bucket}${prefix === '' ? '' : `/${prefix}`} (${where})`
}
