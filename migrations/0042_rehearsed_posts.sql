-- Each collection of figures asks for the posts of the account's rehearsals. Most accounts have none.
CREATE INDEX rehearsals_posts ON rehearsals (account_id) WHERE platform_post_id IS NOT NULL;
