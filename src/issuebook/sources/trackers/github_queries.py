"""The questions about discussions in GraphQL, with fields under the names that REST gives them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_ACCOUNT = "{ login type: __typename }"
_DISCUSSION = f"""
fragment discussion on Discussion {{
  id databaseId number title body html_url: url created_at: createdAt updated_at: updatedAt
  last_edited_at: lastEditedAt closed closed_at: closedAt state_reason: stateReason locked
  is_answered: isAnswered answer {{ id html_url: url }} answer_chosen_at: answerChosenAt
  answer_chosen_by: answerChosenBy {_ACCOUNT} category {{ id name slug is_answerable: isAnswerable }}
  user: author {_ACCOUNT} author_association: authorAssociation labels(first: 100) {{ nodes {{ name }} }}
  upvotes: upvoteCount reactions {{ totalCount }} comments {{ totalCount }}
}}"""
_REMARK = f"""
fragment remark on DiscussionComment {{
  id databaseId body html_url: url created_at: createdAt updated_at: updatedAt last_edited_at: lastEditedAt
  deleted_at: deletedAt user: author {_ACCOUNT} author_association: authorAssociation is_answer: isAnswer
  is_minimized: isMinimized minimized_reason: minimizedReason upvotes: upvoteCount reactions {{ totalCount }}
  reply_to: replyTo {{ id }}
}}"""
_PAGE = "pageInfo { hasNextPage endCursor }"
_OF = "$owner: String!, $name: String!"
_REPOSITORY = "repository(owner: $owner, name: $name)"

QUERIES: Mapping[str, str] = MappingProxyType(
    {
        "repository": f"""query repository({_OF}) {{ {_REPOSITORY} {{
  id: databaseId full_name: nameWithOwner private: isPrivate archived: isArchived
  has_discussions: hasDiscussionsEnabled }} }}""",
        "categories": f"""query categories({_OF}) {{ {_REPOSITORY} {{ discussionCategories(first: 100) {{
  nodes {{ id name slug emoji description is_answerable: isAnswerable created_at: createdAt }} }} }} }}""",
        "total": f"query total({_OF}) {{ {_REPOSITORY} {{ discussions {{ totalCount }} }} }}",
        "discussions": f"""query discussions({_OF}, $first: Int!, $after: String) {{ {_REPOSITORY} {{
  discussions(first: $first, after: $after, orderBy: {{field: UPDATED_AT, direction: ASC}}) {{
    {_PAGE} edges {{ cursor node {{ ...discussion }} }} }} }} }}{_DISCUSSION}""",
        "place": f"""query place({_OF}, $after: String) {{ {_REPOSITORY} {{
  discussions(first: 1, after: $after, orderBy: {{field: UPDATED_AT, direction: ASC}}) {{
    {_PAGE} edges {{ cursor node {{ id number updated_at: updatedAt }} }} }} }} }}""",
        "discussion": f"""query discussion({_OF}, $number: Int!) {{ {_REPOSITORY} {{
  discussion(number: $number) {{ ...discussion }} }} }}{_DISCUSSION}""",
        "comments": f"""query comments({_OF}, $number: Int!, $first: Int!, $after: String) {{ {_REPOSITORY} {{
  discussion(number: $number) {{ comments(first: $first, after: $after) {{ {_PAGE} nodes {{
    ...remark replies(first: 100) {{ totalCount {_PAGE} nodes {{ ...remark }} }} }} }} }} }} }}{_REMARK}""",
        "replies": f"""query replies($comment: ID!, $after: String) {{
  node(id: $comment) {{ ... on DiscussionComment {{
    replies(first: 100, after: $after) {{ {_PAGE} nodes {{ ...remark }} }} }} }} }}{_REMARK}""",
    }
)
"""By the name of the operation. No question has more than the 500,000 nodes that GitHub allows."""
