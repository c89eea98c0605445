import { z } from 'zod'

/** One value that holds, and where it comes from. */
export const settingSchema = z.object({
  /** As configuration files name it: `editor.review_rounds`. */
  key: z.string(),
  value: z.unknown(),
  /** `default`, `repository` (the committed file), `user`, `config` (`--config`) or `flag`. */
  from: z.enum(['default', 'repository', 'user', 'config', 'flag']),
})

export type Setting = z.infer<typeof settingSchema>

/**
 * GET /api/settings: what a Run that starts now would work with. Never a key, nor the value of an
 * environment variable.
 */
export const settingsSchema = z.object({
  repository: z.string(),
  /** Folder of the state. */
  state: z.string(),
  /** The user's file, which may not exist. */
  user_file: z.string(),
  /** The file that the verification comes from; null when there is none. */
  source: z.string().nullable(),
  /** Why there is no configuration, in people's words. */
  problem: z.object({ code: z.string(), message: z.string(), todo: z.string() }).nullable(),
  settings: z.array(settingSchema),
  /**
   * Providers, with the names of the variables that their keys come from, and whether these are
   * set.
   */
  providers: z.array(
    z.object({
      name: z.string(),
      kind: z.string(),
      base_url: z.string().nullable(),
      key_env: z.string().nullable(),
      key_set: z.boolean(),
    }),
  ),
})

export type Settings = z.infer<typeof settingsSchema>
