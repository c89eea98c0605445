/** A bucket and the way to it. */
export interface S3Settings {
  /** `https://s3.example`, without a path; null for Amazon's own. */
  readonly endpoint: string | null
  readonly region: string
  readonly bucket: string
  /** Before all keys; empty, or without a slash at its ends. */
  readonly prefix: string
  /** Null when nobody has given any. */
  readonly credentials: S3Credentials | null
}

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
}

/** What may be printed of it. */
export function shownPlace({ endpoint, region, bucket, prefix }: S3Settings): string {
  const where = endpoint === null ? region : new URL(endpoint).host
  return `s3://${bucket}${prefix === '' ? '' : `/${prefix}`} (${where})`
}
