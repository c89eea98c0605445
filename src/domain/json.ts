/** Any value that JSON can carry. All stored, sent and logged values are made of it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export type JsonObject = { readonly [key: string]: Json }
